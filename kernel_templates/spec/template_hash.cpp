#include "kernel_templates/spec/template_hash.hpp"

#include <warptune/base/hash.hpp>

namespace warptune::spec {
namespace {

// Blanks carry no meaning outside words.
std::string without_blanks(const std::string& text) {
  std::string result;
  bool in_word = false;
  for (char c : text) {
    if (c == '\'') in_word = !in_word;
    if (in_word || (c != ' ' && c != '\t' && c != '\n' && c != '\r')) result += c;
  }
  return result;
}

// Every list is preceded by its length, so that no two templates feed the same fields.
class Feed {
 public:
  Feed& text(std::string_view value) {
    hasher_.field(value);
    return *this;
  }
  Feed& number(std::size_t value) { return text(std::to_string(value)); }
  Feed& expression(const Expression& value) { return text(without_blanks(value.text())); }
  Feed& expressions(const std::vector<Expression>& values) {
    number(values.size());
    for (const Expression& value : values) expression(value);
    return *this;
  }
  template <typename Named>
  Feed& names(const std::vector<Named>& list) {
    number(list.size());
    for (const Named& item : list) text(item.name);
    return *this;
  }
  std::string hex() const { return hasher_.hex(); }

 private:
  Hasher hasher_;
};

void feed_step(Feed& feed, const StepSpec& step) {
  feed.text(step.memset_buffer).number(static_cast<std::size_t>(step.memset_byte)).text(step.entry);
  feed.number(step.arguments.size());
  for (const ArgumentSpec& argument : step.arguments) {
    feed.text(argument.buffer).expression(argument.value).text(argument.type);
  }
  feed.expressions(step.grid).expressions(step.block).expression(step.shared_bytes).expression(step.when);
  if (step.programmatic) feed.text("programmatic");  // said only where it is, so that older hashes stand
}

void feed_options(Feed& feed, const TemplateSpec& spec) {
  feed.number(spec.options.size());
  for (const std::string& option : spec.options) feed.text(option);
  feed.number(spec.defines ? 1 : 0);
}

void feed_names(Feed& feed, const TemplateSpec& spec) {
  feed.names(spec.type_parameters).names(spec.dims).names(spec.attributes).names(spec.tunables);
}

void feed_lets(Feed& feed, const TemplateSpec& spec) {
  feed.number(spec.lets.size());
  for (const LetSpec& let : spec.lets) feed.text(let.name).expression(let.value);
}

void feed_buffers(Feed& feed, const TemplateSpec& spec) {
  feed.number(spec.buffers.size());
  for (const BufferSpec& buffer : spec.buffers) {
    feed.text(buffer.name).text(buffer.type).expression(buffer.elements);
    feed.number(static_cast<std::size_t>(buffer.role)).expression(buffer.alignment_bytes);
  }
}

void feed_steps(Feed& feed, const TemplateSpec& spec) {
  feed.number(spec.steps.size());
  for (const StepSpec& step : spec.steps) feed_step(feed, step);
}

struct ManifestPart {
  const char* name;
  void (*feed)(Feed&, const TemplateSpec&);
};
constexpr ManifestPart manifest_parts[] = {{"manifest: options", feed_options},
                                           {"manifest: names", feed_names},
                                           {"manifest: let", feed_lets},
                                           {"manifest: buffer", feed_buffers},
                                           {"manifest: step", feed_steps}};

}  // namespace

std::string template_hash(const TemplateSpec& spec) {
  Feed feed;
  feed.text("template 1").text(spec.name).text(spec.source);
  feed.number(spec.headers.size());
  for (const auto& [name, content] : spec.headers) feed.text(name).text(content);
  for (const ManifestPart& part : manifest_parts) part.feed(feed, spec);
  return feed.hex();
}

std::map<std::string, std::string> template_hash_parts(const TemplateSpec& spec) {
  std::map<std::string, std::string> parts;
  for (const auto& [name, content] : spec.headers) parts[name] = hash_hex(content);
  parts[spec.source_path.filename().string()] = hash_hex(spec.source);
  for (const ManifestPart& part : manifest_parts) {
    Feed feed;
    part.feed(feed, spec);
    parts[part.name] = feed.hex();
  }
  return parts;
}

}  // namespace warptune::spec
