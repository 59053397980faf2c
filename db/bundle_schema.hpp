// The tables that only bundles have. Immutable.
#pragma once

namespace warptune::db {

// SQL that makes them in a database of the present schema.
extern const char* const bundle_schema;

// Of the tables. A bundle with a later one is refused.
inline constexpr int bundle_format = 1;

}  // namespace warptune::db
