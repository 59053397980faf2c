// Records to and from rows: which columns hold what. One connection, one thread at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <warptune/db/records.hpp>

#include "db/json.hpp"
#include "db/sqlite/connection.hpp"

namespace warptune::db {

// What a time or a factor must be.
inline bool is_positive(double value) { return std::isfinite(value) && value > 0; }

// Parsed JSON texts by text: the same few configs and types come up in most rows of a file.
template <class Map>
class JsonMemo {
 public:
  // Throws Unreadable as from_json.
  const Map& operator()(std::string_view text) {
    // Mostly that of the row before: comparing is cheaper than hashing.
    if (last_ != nullptr && last_->first == text) return last_->second;
    auto found = known_.find(text);
    if (found == known_.end()) found = known_.emplace(std::string(text), from_json<Map>(text)).first;
    last_ = &*found;  // elements of an unordered_map stay where they are
    return last_->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, Map, Hash, std::equal_to<>> known_;
  const std::pair<const std::string, Map>* last_ = nullptr;
};

// One memo per column, since the same text mostly stands in the same column again.
struct RowDecoder {
  JsonMemo<NamedValues> configs, default_configs;
  JsonMemo<Words> types, attributes;
  JsonMemo<Integers> dims;
};

// Mostly `member` holds the value of the row before: comparing maps is cheaper than copying them.
template <class Map>
void set(Map& member, const Map& value) {
  if (member != value) member = value;
}

// Column lists for SELECT, with the table aliases d, p, c, o, w; the read functions take the index of the
// first column. Each read sets every member, keeping memory that the record holds already, and throws
// Unreadable.
inline constexpr const char* device_columns =
    "d.model, d.compute_capability, d.sm_count, d.l2_bytes, d.memory_gib";
inline constexpr int device_width = 5;
void read(const sqlite::Cursor& row, int first, DeviceKey& device);

// Without the device.
inline constexpr const char* problem_columns =
    "p.kernel, p.template_hash, p.types, p.key_dims, p.free_dims, p.attributes, p.numerics, p.policy";
inline constexpr int problem_width = 8;
void read(const sqlite::Cursor& row, int first, RowDecoder& decoder, ProblemKey& problem);

inline constexpr const char* toolchain_columns =
    "c.driver_version, c.driver_name, c.nvrtc_version, c.headers_hash, c.warptune_version";
inline constexpr int toolchain_width = 5;
void read(const sqlite::Cursor& row, int first, Toolchain& toolchain);

inline constexpr const char* outcome_columns =
    "o.config, o.status, o.reason, o.time_ns, o.blocks_ns, o.max_error, o.verified_ragged, o.registers, "
    "o.local_bytes, o.shared_bytes, o.alignment_bytes, o.at_unix_ms";
inline constexpr int outcome_width = 12;
void read(const sqlite::Cursor& row, int first, RowDecoder& decoder, OutcomeRecord& outcome);

// Files of version 1 are read as they are.
std::string winner_columns(int schema_version);
inline constexpr int winner_width = 16;
// All but the configs, which the decoder owns.
struct WinnerConfigs {
  const NamedValues* config = nullptr;
  const NamedValues* default_config = nullptr;
};
WinnerConfigs read(const sqlite::Cursor& row, int first, RowDecoder& decoder, WinnerRecord& winner);

// complete, space_size, wall_s, gpu_s, phase_s, clocks.
void read(const sqlite::Cursor& row, int first, RunEnd& end);

Origin read_origin(const sqlite::Cursor& row, int column);

// Row of a record; nothing when it is not stored.
std::optional<std::int64_t> find_device(const sqlite::Connection& connection, const DeviceKey& device);
std::optional<std::int64_t> find_problem(const sqlite::Connection& connection, const ProblemKey& problem);

// Row of a record, made when missing. Precondition: inside a transaction.
std::int64_t ensure_device(sqlite::Connection& connection, const DeviceKey& device);
std::int64_t ensure_problem(sqlite::Connection& connection, const ProblemKey& problem);
std::int64_t ensure_toolchain(sqlite::Connection& connection, const Toolchain& toolchain);

// Values in the order of the INSERT statements of store_write.cpp.
void bind_outcome(sqlite::Statement& statement, std::int64_t run, const OutcomeRecord& outcome);
void bind_winner(sqlite::Statement& statement, const WinnerRecord& winner);

// Inside a transaction; parts that are stored already stay.
void insert_template_parts(sqlite::Connection& connection, const std::string& template_hash,
                           const std::map<std::string, std::string>& parts);

}  // namespace warptune::db
