// Reads recorded spaces from files. Pure functions but for reading; thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/replay/recorded_space.hpp"

namespace warptune::tuner {

// The formats, from their whole text. Errors: bad_input naming line or entry.
// A CSV with a header: one column a parameter, `time_ms` (empty: failed), and where present `std_ms`,
// `cost_ms`, `status`.
RecordedTable parse_space_csv(const std::string& text);
// The auto-tuning community's T4 results (Hub for auto-tuning): `results`, each with `configuration`,
// `measurements` of which the first objective counts, `invalidity`. Times without a unit are milliseconds.
RecordedTable parse_space_t4(const std::string& text);
// `spaces.json` beside recordings: for each space's name the values of its `params` in order.
std::map<std::string, ValueOrders> parse_value_orders(const std::string& text);

// A plain or gzip-compressed file. Errors: io, bad_input (damaged).
std::string read_text(const std::filesystem::path& file);

// NAME.csv, NAME.json, each also .gz. Errors: io, bad_input; both name the file.
RecordedSpace load_recorded_space(const std::filesystem::path& file, const ValueOrders& orders);
// All recordings of a folder, by name. Errors: not_found: none; io, bad_input.
std::vector<std::unique_ptr<RecordedSpace>> load_recorded_spaces(const std::filesystem::path& folder);

}  // namespace warptune::tuner
