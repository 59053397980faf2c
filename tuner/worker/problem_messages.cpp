// Messages about problems and configs.
#include "tuner/worker/message_parts.hpp"

namespace warptune::tuner {
namespace {

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

}  // namespace

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
  out.optional(request.ceilings, [&](const Ceilings& ceilings) { write_ceilings(out, ceilings); });
  out.optional(request.best_ns, [&](double number) { out.number(number); });
  out.boolean(request.early_stop);
  return {MessageKind::open, out.bytes()};
}

OpenRequest read_open_request(const Message& message) {
  ByteReader in = body_of(message, MessageKind::open);
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
  request.ceilings = in.optional([&] { return read_ceilings(in); });
  request.best_ns = in.optional([&] { return read_positive(in); });
  request.early_stop = in.boolean();
  in.end();
  request.spec = spec::restore_template(texts);
  if (request.spec->hash != hash)
    throw Error(ErrorKind::internal, "the template '" + request.spec->name + "' differs between processes",
                "install warptune and its worker from one build");
  return request;
}

Message to_message(const OperandPart& part) {
  ByteWriter out;
  out.text(part.buffer);
  out.text(part.bytes);
  return {MessageKind::operand, out.bytes()};
}

OperandPart read_operand_part(const Message& message) {
  ByteReader in = body_of(message, MessageKind::operand);
  OperandPart part;
  part.buffer = in.view();
  part.bytes = in.view();
  in.end();
  return part;
}

Message config_message(MessageKind kind, const spec::Config& config) {
  ByteWriter out;
  write_config(out, config);
  return {kind, out.bytes()};
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
  return {MessageKind::retain_only, out.bytes()};
}

std::vector<spec::Config> read_configs_message(const Message& message) {
  ByteReader in = body_of(message, MessageKind::retain_only);
  std::vector<spec::Config> configs;
  in.list([&] { configs.push_back(read_config(in)); });
  in.end();
  return configs;
}

}  // namespace warptune::tuner
