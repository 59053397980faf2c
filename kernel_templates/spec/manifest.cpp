// Sections that say what can be chosen: kernel, problem, tunables, let, constraint.
#include "kernel_templates/spec/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/analysis.hpp"
#include "kernel_templates/spec/manifest_reader.hpp"

namespace warptune::spec {
namespace {

// Every name an expression can mention, each once.
class Names {
 public:
  void add(const std::string& name, const Location& where, std::string_view what) {
    check_identifier(name, where, what);
    const auto [entry, is_new] = taken_.emplace(name, where);
    if (is_new) return;
    manifest_fail(where, fmt::format("{} '{}' is already defined at line {}", what, name, entry->second.line),
                  "types, dims, attributes, tunables and lets need different names");
  }

 private:
  std::map<std::string, Location> taken_;
};

std::vector<std::string> read_strings(const ManifestNode& node, std::string_view what) {
  std::vector<std::string> texts;
  for (const ManifestNode& item : require_array(node, what)) texts.push_back(require_string(item, what));
  return texts;
}

void read_kernel(const ManifestNode& root, Manifest& manifest) {
  constexpr std::string_view section = "[kernel]";
  const ManifestNode& table = require_member(root, "kernel", "the manifest");
  require_table(table, section, {"name", "summary", "source", "defines", "options", "includes"});
  TemplateSpec& spec = manifest.spec;
  spec.name = require_identifier(require_member(table, "name", section), "[kernel] name");
  if (const auto* summary = table.find("summary"))
    spec.summary = require_string(*summary, "[kernel] summary");
  const ManifestNode& source = require_member(table, "source", section);
  manifest.source_name = require_string(source, "[kernel] source");
  manifest.source_where = source.where;
  if (manifest.source_name.empty())
    manifest_fail(source.where, "[kernel] source is empty", "name the .cu file");
  if (const auto* defines = table.find("defines"))
    spec.defines = require_boolean(*defines, "[kernel] defines");
  if (const auto* options = table.find("options")) {
    spec.options = read_strings(*options, "[kernel] options");
    for (std::size_t i = 0; i < spec.options.size(); ++i) {
      const std::string& option = spec.options[i];
      if (option.starts_with("-arch") || option.starts_with("--gpu-architecture")) {
        manifest_fail(options->items[i].where, fmt::format("option '{}' fixes the architecture", option),
                      "remove it: kernels are compiled for the device they run on");
      }
    }
  }
  if (const auto* includes = table.find("includes")) {
    manifest.includes = read_strings(*includes, "[kernel] includes");
    manifest.includes_where = includes->where;
  }
}

void read_types(const ManifestNode& table, TemplateSpec& spec, Names& names) {
  if (table.kind != ManifestNode::Kind::table) require_table(table, "[problem] types", {});
  for (const ManifestMember& member : table.members) {
    names.add(member.key, member.where, "type");
    TypeParameter type{member.key, {}};
    for (const ManifestNode& item : require_array(member.value, "the list of types")) {
      const std::string& text = require_string(item, "a type");
      const auto known = find_element_type(text);
      if (!known) {
        std::vector<std::string> all;
        for (const ElementType& candidate : element_types()) all.emplace_back(candidate.name);
        manifest_fail(item.where, fmt::format("unknown element type '{}'", text), name_hint(text, all));
      }
      if (std::find(type.allowed.begin(), type.allowed.end(), known->name) != type.allowed.end()) {
        manifest_fail(item.where, fmt::format("type '{}' is listed twice", known->name), "remove one");
      }
      type.allowed.emplace_back(known->name);
    }
    if (type.allowed.empty())
      manifest_fail(member.value.where, fmt::format("type '{}' allows nothing", member.key));
    spec.type_parameters.push_back(std::move(type));
  }
}

void read_attributes(const ManifestNode& table, TemplateSpec& spec, Names& names) {
  if (table.kind != ManifestNode::Kind::table) require_table(table, "[problem] attributes", {});
  for (const ManifestMember& member : table.members) {
    names.add(member.key, member.where, "attribute");
    AttributeSpec attribute{member.key, {"any"}};
    for (const ManifestNode& item : require_array(member.value, "the attribute's words")) {
      const std::string& word = require_identifier(item, "the attribute's word");
      if (word != "any") attribute.allowed.push_back(word);
    }
    spec.attributes.push_back(std::move(attribute));
  }
}

void read_problem(const ManifestNode& root, TemplateSpec& spec, Names& names) {
  const ManifestNode& table = require_member(root, "problem", "the manifest");
  require_table(table, "[problem]", {"types", "dims", "attributes"});
  if (const auto* types = table.find("types")) read_types(*types, spec, names);
  const ManifestNode& dims = require_member(table, "dims", "[problem]");
  for (const ManifestNode& item : require_array(dims, "[problem] dims")) {
    DimSpec dim;
    if (item.kind == ManifestNode::Kind::table) {
      require_table(item, "a dim", {"name", "key", "default"});
      dim.name = require_identifier(require_member(item, "name", "a dim"), "dim");
      if (const auto* key = item.find("key")) dim.key = require_boolean(*key, "a dim's key");
      if (const auto* value = item.find("default"))
        dim.default_value = require_expression(*value, "a dim's default", spec.symbols);
    } else {
      dim.name = require_identifier(item, "dim");
    }
    names.add(dim.name, item.where, "dim");
    spec.dims.push_back(std::move(dim));
  }
  if (spec.dims.empty()) manifest_fail(dims.where, "[problem] dims is empty", "name at least one dim");
  if (const auto* attributes = table.find("attributes")) read_attributes(*attributes, spec, names);
}

// Substituted into source text, so nothing that could break out of a template argument or a macro.
TunableValue read_tunable_value(const ManifestNode& item, const std::string& tunable) {
  const std::string what = fmt::format("a value of {}", tunable);
  if (item.kind != ManifestNode::Kind::table) return {require_value(item, what), {}};
  require_table(item, what, {"value", "class"});
  TunableValue result{require_value(require_member(item, "value", what), what), {}};
  if (const auto* word = item.find("class")) {
    result.numerics = Numerics::parse(
        require_word(*word, "class", {"exact", "approx", "nondeterministic", "approx+nondeterministic"}));
  }
  return result;
}

void read_tunables(const ManifestNode& root, TemplateSpec& spec, Names& names) {
  const ManifestNode& table = require_member(root, "tunables", "the manifest");
  if (table.kind != ManifestNode::Kind::table) require_table(table, "[tunables]", {});
  for (const ManifestMember& member : table.members) {
    names.add(member.key, member.where, "tunable");
    Tunable tunable;
    tunable.name = member.key;
    tunable.symbol = spec.symbols.intern(member.key);
    for (const ManifestNode& item : require_array(member.value, fmt::format("tunable {}", member.key))) {
      const TunableValue value = read_tunable_value(item, member.key);
      if (spec.defines && value.value.text().find(':') != std::string::npos) {
        manifest_fail(item.where,
                      fmt::format("word '{}' cannot be part of a macro's name", value.value.text()),
                      "with defines = true, words are plain identifiers");
      }
      for (const TunableValue& earlier : tunable.values) {
        if (earlier.value.kind() != value.value.kind()) {
          manifest_fail(item.where, fmt::format("tunable {} mixes integers and words", member.key),
                        "use one kind for all its values");
        }
        if (earlier.value == value.value) {
          manifest_fail(item.where, fmt::format("tunable {} lists {} twice", member.key, value.value.text()),
                        "remove one");
        }
      }
      tunable.values.push_back(value);
    }
    if (tunable.values.empty()) {
      manifest_fail(member.value.where, fmt::format("tunable {} has no values", member.key),
                    "list at least one");
    }
    spec.tunables.push_back(std::move(tunable));
  }
  if (spec.tunables.empty()) manifest_fail(table.where, "[tunables] is empty", "list what can be tuned");
  if (spec.tunables.size() > max_tunables) {
    manifest_fail(table.where, fmt::format("more than {} tunables", max_tunables),
                  "fix some of them in the source");
  }
}

void read_lets(const ManifestNode& root, TemplateSpec& spec, Names& names) {
  const ManifestNode* table = root.find("let");
  if (table == nullptr) return;
  if (table->kind != ManifestNode::Kind::table) require_table(*table, "[let]", {});
  for (const ManifestMember& member : table->members) {
    names.add(member.key, member.where, "let");
    spec.lets.push_back({member.key, spec.symbols.intern(member.key),
                         require_expression(member.value, fmt::format("let {}", member.key), spec.symbols)});
  }
}

void read_constraints(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode* array = root.find("constraint");
  if (array == nullptr) return;
  for (const ManifestNode& item : require_array(*array, "[[constraint]]")) {
    require_table(item, "[[constraint]]", {"expression", "why", "only"});
    ConstraintSpec constraint;
    constraint.expression = require_expression(require_member(item, "expression", "[[constraint]]"),
                                               "[[constraint]] expression", spec.symbols);
    constraint.why = require_string(require_member(item, "why", "[[constraint]]"), "[[constraint]] why");
    if (const auto* only = item.find("only")) {
      require_word(*only, "[[constraint]] only", {"search"});
      constraint.search_only = true;
    }
    spec.constraints.push_back(std::move(constraint));
  }
}

}  // namespace

Manifest read_manifest(std::string_view text, const std::string& origin) {
  const ManifestNode root = parse_manifest_tree(text, origin);
  require_table(root, "the manifest",
                {"kernel", "problem", "tunables", "default", "variant", "let", "constraint", "buffer", "step",
                 "check", "cost"});
  Manifest manifest;
  TemplateSpec& spec = manifest.spec;
  spec.manifest_text = text;
  Names names;
  read_kernel(root, manifest);
  read_problem(root, spec, names);
  read_tunables(root, spec, names);
  read_default(root, spec);
  read_variants(root, spec);
  read_lets(root, spec, names);
  read_constraints(root, spec);
  read_buffers(root, spec);
  read_steps(root, spec);
  read_check(root, spec);
  read_cost(root, spec);
  analyse(spec);
  return manifest;
}

}  // namespace warptune::spec
