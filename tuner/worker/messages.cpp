#include "tuner/worker/messages.hpp"

#include <cmath>

#include "tuner/worker/codec.hpp"

namespace warptune::tuner {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::bad_input, "a message between processes is damaged: " + what);
}

void require(const Message& message, MessageKind kind) {
  if (message.kind != kind)
    fail(std::string("'") + to_string(message.kind) + "' came instead of '" + to_string(kind) + "'");
}

template <class Map, class WriteValue>
void write_map(ByteWriter& out, const Map& map, WriteValue write_value) {
  out.list(map, [&](const auto& entry) {
    out.text(entry.first);
    write_value(entry.second);
  });
}

template <class Map, class ReadValue>
Map read_map(ByteReader& in, ReadValue read_value) {
  Map map;
  in.list([&] {
    std::string key = in.text();
    map.insert_or_assign(std::move(key), read_value());
  });
  return map;
}

void write_texts(ByteWriter& out, const auto& map) {
  write_map(out, map, [&](const std::string& value) { out.text(value); });
}

template <class Map>
Map read_texts(ByteReader& in) {
  return read_map<Map>(in, [&] { return in.text(); });
}

double positive(double value) {
  if (!std::isfinite(value) || value <= 0) fail("a time is not positive");
  return value;
}

void write_config(ByteWriter& out, const spec::Config& config) {
  out.list(config.values, [&](const spec::Value& value) {
    out.word(value.kind());
    switch (value.kind()) {
      case spec::Value::Kind::unset:
        break;
      case spec::Value::Kind::integer:
        out.number(value.as_integer());
        break;
      case spec::Value::Kind::boolean:
        out.boolean(value.as_boolean());
        break;
      case spec::Value::Kind::word:
        out.text(value.as_word().text());
        break;
    }
  });
}

spec::Value read_value(ByteReader& in) {
  switch (in.word(spec::Value::Kind::word)) {
    case spec::Value::Kind::integer:
      return spec::Value::integer(in.number<std::int64_t>());
    case spec::Value::Kind::boolean:
      return spec::Value::boolean(in.boolean());
    case spec::Value::Kind::word:
      return spec::Value::word(in.text());
    case spec::Value::Kind::unset:
      break;
  }
  return {};
}

spec::Config read_config(ByteReader& in) {
  spec::Config config;
  in.list([&] { config.values.push_back(read_value(in)); });
  return config;
}

void write_spent(ByteWriter& out, const Spent& spent) {
  out.number(spent.gpu_s);
  write_map(out, spent.phase_s, [&](double seconds) { out.number(seconds); });
}

Spent read_spent(ByteReader& in) {
  const auto seconds = [&] {
    const auto value = in.number<double>();
    if (!std::isfinite(value) || value < 0) fail("a duration is negative");
    return value;
  };
  Spent spent;
  spent.gpu_s = seconds();
  spent.phase_s = read_map<std::map<std::string, double>>(in, seconds);
  return spent;
}

// Members in the order in which both sides visit them.
void visit_limits(auto& traits, auto visit) {
  visit(traits.compute_capability), visit(traits.sm_count), visit(traits.warp_size);
  visit(traits.max_threads_per_block), visit(traits.max_threads_per_sm), visit(traits.max_blocks_per_sm);
  visit(traits.registers_per_sm), visit(traits.max_shared_bytes), visit(traits.shared_bytes_per_sm);
  visit(traits.reserved_shared_bytes), visit(traits.l2_bytes), visit(traits.memory_bytes);
  visit(traits.max_grid_x), visit(traits.max_grid_y), visit(traits.max_grid_z);
}

Message finish(MessageKind kind, const ByteWriter& out) { return {kind, out.bytes()}; }

}  // namespace

const char* to_string(MessageKind kind) noexcept {
  static constexpr const char* names[] = {
      "open", "evaluate", "time_block", "retain_only", "supports", "compile",   "device",   "compiler",
      "step", "opened",   "outcome",    "block",       "done",     "supported", "compiled", "failed"};
  static_assert(std::size(names) == static_cast<std::size_t>(last_message_kind) + 1);
  return names[static_cast<std::size_t>(kind)];
}

std::string to_payload(const Message& message) {
  ByteWriter out;
  out.word(message.kind);
  return out.bytes() + message.body;
}

Message read_message(std::string_view payload) {
  ByteReader in(payload);
  const MessageKind kind = in.word(last_message_kind);
  return {kind, std::string(payload.substr(sizeof(std::uint32_t)))};
}

Message to_message(const runtime::DeviceInfo& device) {
  ByteWriter out;
  out.text(device.traits.model);
  visit_limits(device.traits, [&](auto value) { out.number(value); });
  out.number(device.driver_version);
  out.text(device.driver_name);
  out.text(device.label);
  out.text(device.bus_id);
  return finish(MessageKind::device, out);
}

runtime::DeviceInfo read_device_info(const Message& message) {
  require(message, MessageKind::device);
  ByteReader in(message.body);
  runtime::DeviceInfo device;
  device.traits.model = in.text();
  visit_limits(device.traits,
               [&](auto& value) { value = in.number<std::remove_reference_t<decltype(value)>>(); });
  device.driver_version = in.number<int>();
  device.driver_name = in.text();
  device.label = in.text();
  device.bus_id = in.text();
  in.end();
  return device;
}

Message to_message(const OpenRequest& request) {
  const spec::TemplateTexts texts = spec::texts_of(*request.spec);
  ByteWriter out;
  for (const std::string* text :
       {&texts.manifest_path, &texts.manifest_text, &texts.source_path, &texts.source})
    out.text(*text);
  write_texts(out, texts.headers);
  out.text(request.spec->hash);
  write_texts(out, request.problem.types);
  write_map(out, request.problem.dims, [&](std::int64_t value) { out.number(value); });
  write_texts(out, request.problem.attributes);
  out.boolean(request.problem.allowed.approx);
  out.boolean(request.problem.allowed.nondeterministic);
  out.text(request.policy);
  out.number(request.seed);
  out.text(request.cache_folder);
  for (const auto& value : {request.read_ceiling_bytes_per_s, request.best_ns})
    out.optional(value, [&](double number) { out.number(number); });
  return finish(MessageKind::open, out);
}

OpenRequest read_open_request(const Message& message) {
  require(message, MessageKind::open);
  ByteReader in(message.body);
  spec::TemplateTexts texts;
  for (std::string* text : {&texts.manifest_path, &texts.manifest_text, &texts.source_path, &texts.source})
    *text = in.text();
  texts.headers = read_texts<decltype(texts.headers)>(in);
  const std::string hash = in.text();
  OpenRequest request;
  spec::Problem& problem = request.problem;
  problem.types = read_texts<decltype(problem.types)>(in);
  problem.dims = read_map<decltype(problem.dims)>(in, [&] { return in.number<std::int64_t>(); });
  problem.attributes = read_texts<decltype(problem.attributes)>(in);
  problem.allowed.approx = in.boolean();
  problem.allowed.nondeterministic = in.boolean();
  request.policy = in.text();
  request.seed = in.number<std::uint64_t>();
  request.cache_folder = in.text();
  for (auto* value : {&request.read_ceiling_bytes_per_s, &request.best_ns})
    *value = in.optional([&] { return positive(in.number<double>()); });
  in.end();
  request.spec = spec::restore_template(texts);
  if (request.spec->hash != hash)
    throw Error(ErrorKind::internal, "the template '" + request.spec->name + "' differs between processes",
                "install warptune and its worker from one build");
  return request;
}

Message to_message(const Opened& opened) {
  ByteWriter out;
  out.optional(opened.read_ceiling_bytes_per_s, [&](double number) { out.number(number); });
  write_spent(out, opened.spent);
  return finish(MessageKind::opened, out);
}

Opened read_opened(const Message& message) {
  require(message, MessageKind::opened);
  ByteReader in(message.body);
  Opened opened;
  opened.read_ceiling_bytes_per_s = in.optional([&] { return positive(in.number<double>()); });
  opened.spent = read_spent(in);
  in.end();
  return opened;
}

Message config_message(MessageKind kind, const spec::Config& config) {
  ByteWriter out;
  write_config(out, config);
  return finish(kind, out);
}

spec::Config read_config_message(const Message& message) {
  ByteReader in(message.body);
  spec::Config config = read_config(in);
  in.end();
  return config;
}

Message configs_message(const std::vector<spec::Config>& configs) {
  ByteWriter out;
  out.list(configs, [&](const spec::Config& config) { write_config(out, config); });
  return finish(MessageKind::retain_only, out);
}

std::vector<spec::Config> read_configs_message(const Message& message) {
  require(message, MessageKind::retain_only);
  ByteReader in(message.body);
  std::vector<spec::Config> configs;
  in.list([&] { configs.push_back(read_config(in)); });
  in.end();
  return configs;
}

Message to_message(const Evaluated& evaluated) {
  const Outcome& outcome = evaluated.outcome;
  ByteWriter out;
  out.word(outcome.status);
  out.text(outcome.reason);
  out.list(outcome.blocks_ns, [&](double value) { out.number(value); });
  out.optional(outcome.max_error, [&](double value) { out.number(value); });
  out.boolean(outcome.verified_ragged);
  for (const int value :
       {outcome.traits.registers, outcome.traits.local_bytes, outcome.traits.static_shared_bytes,
        outcome.traits.max_threads_per_block, outcome.alignment_bytes})
    out.number(value);
  write_spent(out, evaluated.spent);
  return finish(MessageKind::outcome, out);
}

Evaluated read_evaluated(const Message& message) {
  require(message, MessageKind::outcome);
  ByteReader in(message.body);
  Evaluated evaluated;
  Outcome& outcome = evaluated.outcome;
  outcome.status = in.word(OutcomeStatus::timed_out);
  outcome.reason = in.text();
  in.list([&] { outcome.blocks_ns.push_back(positive(in.number<double>())); });
  if (outcome.status == OutcomeStatus::ok && outcome.blocks_ns.empty()) fail("no time of a good candidate");
  outcome.max_error = in.optional([&] { return in.number<double>(); });
  outcome.verified_ragged = in.boolean();
  for (int* value :
       {&outcome.traits.registers, &outcome.traits.local_bytes, &outcome.traits.static_shared_bytes,
        &outcome.traits.max_threads_per_block, &outcome.alignment_bytes})
    *value = in.number<int>();
  evaluated.spent = read_spent(in);
  in.end();
  return evaluated;
}

Message to_message(const TimedBlock& block) {
  ByteWriter out;
  out.number(block.time_ns);
  write_spent(out, block.spent);
  return finish(MessageKind::block, out);
}

TimedBlock read_timed_block(const Message& message) {
  require(message, MessageKind::block);
  ByteReader in(message.body);
  TimedBlock block;
  block.time_ns = positive(in.number<double>());
  block.spent = read_spent(in);
  in.end();
  return block;
}

Message text_message(MessageKind kind, std::string_view text) {
  ByteWriter out;
  out.text(text);
  return finish(kind, out);
}

std::string read_text_message(const Message& message) {
  ByteReader in(message.body);
  std::string text = in.text();
  in.end();
  return text;
}

Message to_message(const Error& error) {
  ByteWriter out;
  out.word(error.kind());
  out.text(error.what());
  out.text(error.hint());
  out.optional(error.native_code(), [&](long code) { out.number(std::int64_t{code}); });
  return finish(MessageKind::failed, out);
}

Error read_error(const Message& message) {
  require(message, MessageKind::failed);
  ByteReader in(message.body);
  const ErrorKind kind = in.word(ErrorKind::internal);
  const std::string what = in.text();
  const std::string hint = in.text();
  const auto code = in.optional([&] { return static_cast<long>(in.number<std::int64_t>()); });
  in.end();
  return {kind, what, hint, code};
}

}  // namespace warptune::tuner
