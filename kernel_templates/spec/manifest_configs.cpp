// Sections that name whole configs: default and variant.
#include <algorithm>

#include <fmt/format.h>

#include <warptune/base/text.hpp>

#include "kernel_templates/spec/manifest.hpp"
#include "kernel_templates/spec/manifest_reader.hpp"

namespace warptune::spec {
namespace {

// A table with one listed value per tunable; `what` names it in messages.
std::vector<TunableValue> read_config(const ManifestNode& table, std::string_view what,
                                      const TemplateSpec& spec) {
  if (table.kind != ManifestNode::Kind::table) require_table(table, what, {});
  std::vector<std::string> known;
  for (const Tunable& tunable : spec.tunables) known.push_back(tunable.name);
  for (const ManifestMember& member : table.members) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      manifest_fail(member.where, fmt::format("{} names '{}', which is no tunable", what, member.key),
                    name_hint(member.key, known));
    }
  }
  std::vector<TunableValue> values;
  for (const Tunable& tunable : spec.tunables) {
    const ManifestNode& node = require_member(table, tunable.name, what);
    const Value value = require_value(node, fmt::format("{} {}", what, tunable.name));
    const auto found = std::find_if(tunable.values.begin(), tunable.values.end(),
                                    [&](const TunableValue& candidate) { return candidate.value == value; });
    if (found == tunable.values.end()) {
      std::vector<std::string> allowed;
      for (const TunableValue& candidate : tunable.values) allowed.push_back(candidate.value.text());
      manifest_fail(node.where,
                    fmt::format("{} {} = {} is not in its list", what, tunable.name, value.text()),
                    "allowed: " + join(allowed));
    }
    values.push_back(*found);
  }
  return values;
}

}  // namespace

void read_default(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode& table = require_member(root, "default", "the manifest");
  const std::vector<TunableValue> values = read_config(table, "[default]", spec);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].numerics != Numerics{}) {
      manifest_fail(require_member(table, spec.tunables[i].name, "[default]").where,
                    fmt::format("[default] {} = {} is of class {}", spec.tunables[i].name,
                                values[i].value.text(), values[i].numerics.key()),
                    "the default must be exact: it serves every caller");
    }
    spec.default_config.values.push_back(values[i].value);
  }
}

void read_variants(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode* array = root.find("variant");
  if (array == nullptr) return;
  for (const ManifestNode& item : require_array(*array, "[[variant]]")) {
    require_table(item, "[[variant]]", {"name", "summary", "when", "config"});
    VariantSpec variant;
    const ManifestNode& name = require_member(item, "name", "[[variant]]");
    variant.name = require_string(name, "[[variant]] name");
    const bool taken = std::any_of(spec.variants.begin(), spec.variants.end(),
                                   [&](const VariantSpec& other) { return other.name == variant.name; });
    if (taken || variant.name.empty()) {
      manifest_fail(name.where,
                    fmt::format("[[variant]] name '{}' is {}", variant.name, taken ? "taken" : "empty"),
                    "give each variant a name of its own");
    }
    if (const auto* summary = item.find("summary"))
      variant.summary = require_string(*summary, "[[variant]] summary");
    if (const auto* when = item.find("when"))
      variant.when = require_expression(*when, "[[variant]] when", spec.symbols);
    for (const TunableValue& value :
         read_config(require_member(item, "config", "[[variant]]"), "[[variant]] config", spec)) {
      variant.config.values.push_back(value.value);
      variant.numerics = variant.numerics | value.numerics;
    }
    spec.variants.push_back(std::move(variant));
  }
}

}  // namespace warptune::spec
