#include "db/rows.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warptune::db {
namespace {

using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;
using sqlite::Unreadable;

// Blobs hold the bytes of the floats as they lie in memory.
static_assert(std::endian::native == std::endian::little && sizeof(float) == 4);

std::vector<float> read_floats(std::span<const std::byte> blob) {
  if (blob.size() % sizeof(float) != 0)
    throw Unreadable(fmt::format("blocks of {} bytes are no floats", blob.size()));
  std::vector<float> values(blob.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), blob.data(), blob.size());
  return values;
}

int read_alignment(const Cursor& row, int column) {
  const int bytes = row.small_integer(column);
  if (bytes <= 0 || !std::has_single_bit(static_cast<unsigned>(bytes))) {
    throw Unreadable(fmt::format("an alignment of {} bytes", bytes));
  }
  return bytes;
}

constexpr const char* device_match =
    "model = ?1 AND compute_capability = ?2 AND sm_count = ?3 AND l2_bytes = ?4 AND memory_gib = ?5";

void bind_device(Statement& statement, const DeviceKey& device) {
  statement.bind(device.model).bind(device.compute_capability).bind(device.sm_count);
  statement.bind(device.l2_bytes).bind(device.memory_gib);
}

constexpr const char* problem_match =
    "kernel = ?1 AND template_hash = ?2 AND types = ?3 AND key_dims = ?4 AND free_dims = ?5 AND attributes = "
    "?6 AND "
    "numerics = ?7 AND device = ?8 AND policy = ?9";

void bind_problem(Statement& statement, const ProblemKey& problem, std::int64_t device) {
  statement.bind(problem.kernel).bind(problem.template_hash).bind(to_json(problem.types));
  statement.bind(to_json(problem.key_dims))
      .bind(to_json(problem.free_dims))
      .bind(to_json(problem.attributes));
  statement.bind(problem.numerics).bind(device).bind(problem.policy);
}

constexpr const char* toolchain_match =
    "driver_version = ?1 AND driver_name = ?2 AND nvrtc_version = ?3 AND headers_hash = ?4 AND "
    "warptune_version = ?5";

void bind_toolchain(Statement& statement, const Toolchain& toolchain) {
  statement.bind(toolchain.driver_version).bind(toolchain.driver_name).bind(toolchain.nvrtc_version);
  statement.bind(toolchain.headers_hash).bind(toolchain.warptune_version);
}

// `bind` sets the values of the key; `match` compares them.
template <class Bind>
std::optional<std::int64_t> find(const Connection& connection, const char* table, const char* match,
                                 Bind bind) {
  Statement statement(connection, fmt::format("SELECT id FROM {} WHERE {}", table, match));
  Cursor cursor(statement);
  bind(statement);
  if (!cursor.next()) return std::nullopt;
  return cursor.integer(0);
}

template <class Bind>
std::int64_t ensure(Connection& connection, const char* table, const char* match, const char* insert,
                    Bind bind) {
  if (const auto id = find(connection, table, match, bind)) return *id;
  Statement statement(connection, insert);
  Cursor cursor(statement);
  bind(statement);
  cursor.finish();
  return connection.last_insert_id();
}

}  // namespace

void read(const Cursor& row, int first, DeviceKey& device) {
  device.model = row.text(first);
  device.compute_capability = row.small_integer(first + 1);
  device.sm_count = row.small_integer(first + 2);
  device.l2_bytes = row.integer(first + 3);
  device.memory_gib = row.small_integer(first + 4);
}

void read(const Cursor& row, int first, RowDecoder& decoder, ProblemKey& problem) {
  problem.kernel = row.text(first);
  problem.template_hash = row.text(first + 1);
  set(problem.types, decoder.types(row.text(first + 2)));
  set(problem.key_dims, decoder.dims(row.text(first + 3)));
  problem.free_dims = from_json<Integers>(row.text(first + 4));  // differ in every row
  set(problem.attributes, decoder.attributes(row.text(first + 5)));
  problem.numerics = row.text(first + 6);
  problem.policy = row.text(first + 7);
}

void read(const Cursor& row, int first, Toolchain& toolchain) {
  toolchain.driver_version = row.small_integer(first);
  toolchain.driver_name = row.text(first + 1);
  toolchain.nvrtc_version = row.text(first + 2);
  toolchain.headers_hash = row.text(first + 3);
  toolchain.warptune_version = row.text(first + 4);
}

void read(const Cursor& row, int first, RowDecoder& decoder, OutcomeRecord& outcome) {
  outcome.config = decoder.configs(row.text(first));
  outcome.status = row.text(first + 1);
  outcome.reason = row.text(first + 2);
  outcome.time_ns = row.optional_real(first + 3);
  outcome.blocks_ns = read_floats(row.blob(first + 4));
  outcome.max_error = row.optional_real(first + 5);
  outcome.verified_ragged = row.boolean(first + 6);
  outcome.registers = row.small_integer(first + 7);
  outcome.local_bytes = row.small_integer(first + 8);
  outcome.shared_bytes = row.small_integer(first + 9);
  outcome.alignment_bytes = read_alignment(row, first + 10);
  outcome.at_unix_ms = row.integer(first + 11);
  if (outcome.status.empty()) throw Unreadable("an outcome without a status");
}

WinnerConfigs read(const Cursor& row, int first, RowDecoder& decoder, WinnerRecord& winner) {
  const WinnerConfigs configs{&decoder.configs(row.text(first + 1)),
                              &decoder.default_configs(row.text(first + 4))};
  winner.alignment_bytes = read_alignment(row, first);
  winner.time_ns = row.real(first + 2);
  winner.default_time_ns = row.optional_real(first + 3);
  winner.certified = row.boolean(first + 5);
  winner.complete = row.boolean(first + 6);
  winner.interval_low_ns = row.optional_real(first + 7);
  winner.interval_high_ns = row.optional_real(first + 8);
  winner.samples = row.integer(first + 9);
  winner.tied = row.integer(first + 10);
  winner.verified_ragged = row.boolean(first + 11);
  winner.bytes = row.optional_real(first + 12);
  winner.flops = row.optional_real(first + 13);
  winner.limit_bytes_per_s = row.optional_real(first + 14);
  winner.certified_by = row.text(first + 15);
  if (!(std::isfinite(winner.time_ns) && winner.time_ns > 0)) {
    throw Unreadable(fmt::format("a winner with a time of {} ns", winner.time_ns));
  }
  return configs;
}

std::string winner_columns(int schema_version) {
  const char* certified_by = schema_version < 2 ? "iif(w.certified = 1, 'race', '')" : "w.certified_by";
  return fmt::format(
      "w.alignment_bytes, w.config, w.time_ns, w.default_time_ns, w.default_config, w.certified, w.complete, "
      "w.interval_low_ns, w.interval_high_ns, w.samples, w.tied, w.verified_ragged, w.bytes, w.flops, "
      "w.limit_bytes_per_s, {}",
      certified_by);
}

void read(const Cursor& row, int first, RunEnd& end) {
  end.complete = row.boolean(first);
  end.space_size = row.integer(first + 1);
  end.wall_s = row.real(first + 2);
  end.gpu_s = row.real(first + 3);
  end.phase_s = from_json<Reals>(row.text(first + 4));
  if (!row.is_null(first + 5)) end.clocks = from_json<Reals>(row.text(first + 5));
}

Origin read_origin(const Cursor& row, int column) {
  const std::string_view text = row.text(column);
  for (const Origin origin : {Origin::measured, Origin::replayed, Origin::imported})
    if (text == to_text(origin)) return origin;
  throw Unreadable(fmt::format("unknown origin \"{}\"", text));
}

const char* to_text(Origin origin) noexcept {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::replayed:
      return "replayed";
    case Origin::imported:
      break;
  }
  return "imported";
}

std::optional<std::int64_t> find_device(const Connection& connection, const DeviceKey& device) {
  return find(connection, "device", device_match,
              [&](Statement& statement) { bind_device(statement, device); });
}

std::optional<std::int64_t> find_problem(const Connection& connection, const ProblemKey& problem) {
  const auto device = find_device(connection, problem.device);
  if (!device) return std::nullopt;
  return find(connection, "problem", problem_match,
              [&](Statement& statement) { bind_problem(statement, problem, *device); });
}

std::int64_t ensure_device(Connection& connection, const DeviceKey& device) {
  return ensure(connection, "device", device_match,
                "INSERT INTO device (model, compute_capability, sm_count, l2_bytes, memory_gib) "
                "VALUES (?, ?, ?, ?, ?)",
                [&](Statement& statement) { bind_device(statement, device); });
}

std::int64_t ensure_problem(Connection& connection, const ProblemKey& problem) {
  const std::int64_t device = ensure_device(connection, problem.device);
  return ensure(
      connection, "problem", problem_match,
      "INSERT INTO problem (kernel, template_hash, types, key_dims, free_dims, attributes, numerics, "
      "device, policy) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [&](Statement& statement) { bind_problem(statement, problem, device); });
}

std::int64_t ensure_toolchain(Connection& connection, const Toolchain& toolchain) {
  return ensure(
      connection, "toolchain", toolchain_match,
      "INSERT INTO toolchain (driver_version, driver_name, nvrtc_version, headers_hash, warptune_version) "
      "VALUES (?, ?, ?, ?, ?)",
      [&](Statement& statement) { bind_toolchain(statement, toolchain); });
}

void bind_outcome(Statement& statement, std::int64_t run, const OutcomeRecord& outcome) {
  std::optional<double> max_error = outcome.max_error;
  // SQLite has no NaN; an error that is no number is worse than any.
  if (max_error && std::isnan(*max_error)) max_error = std::numeric_limits<double>::infinity();
  statement.bind(run)
      .bind(to_json(outcome.config))
      .bind(outcome.status)
      .bind(outcome.reason)
      .bind(outcome.time_ns);
  statement.bind(std::as_bytes(std::span(outcome.blocks_ns))).bind(max_error).bind(outcome.verified_ragged);
  statement.bind(outcome.registers).bind(outcome.local_bytes).bind(outcome.shared_bytes);
  statement.bind(outcome.alignment_bytes).bind(outcome.at_unix_ms);
}

void bind_winner(Statement& statement, const WinnerRecord& winner) {
  statement.bind(winner.alignment_bytes).bind(to_json(winner.config)).bind(winner.time_ns);
  statement.bind(winner.default_time_ns).bind(to_json(winner.default_config)).bind(winner.certified);
  statement.bind(winner.complete).bind(winner.interval_low_ns).bind(winner.interval_high_ns);
  statement.bind(winner.samples).bind(winner.tied).bind(winner.verified_ragged);
  statement.bind(winner.bytes).bind(winner.flops).bind(winner.limit_bytes_per_s).bind(winner.certified_by);
}

}  // namespace warptune::db
