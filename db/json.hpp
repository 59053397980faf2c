// Named values as canonical JSON text: one flat object, names sorted, no blanks. Thread-safe.
// Equal values give equal text, so that a text can be a key.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <warptune/db/records.hpp>

namespace warptune::db {

using Words = std::map<std::string, std::string>;
using Integers = std::map<std::string, std::int64_t>;
using Reals = std::map<std::string, double>;

// Error bad_input: text that is not UTF-8, or a number that is not finite.
std::string to_json(const NamedValues& values);
std::string to_json(const Words& values);
std::string to_json(const Integers& values);
std::string to_json(const Reals& values);

// Map: NamedValues, Words, Integers or Reals. Blanks and any order are accepted, as people edit files.
// Throws sqlite::Unreadable: no JSON, not one flat object, a name twice, a value of another kind.
template <class Map>
Map from_json(std::string_view text);

}  // namespace warptune::db
