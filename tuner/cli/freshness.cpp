#include "tuner/cli/freshness.hpp"

#include <set>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::tuner {
namespace {

bool differ(const std::string& then, const std::string& now) {
  return !then.empty() && !now.empty() && then != now;
}

std::string value_of(const std::map<std::string, std::string>& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? std::string() : found->second;
}

}  // namespace

const spec::TemplatePtr& Freshness::template_of(const std::string& kernel) const {
  const auto known = templates_.find(kernel);
  if (known != templates_.end()) return known->second;
  spec::TemplatePtr found;
  try {
    found = spec::find_template(kernel);
  } catch (const Error&) {
    // A user's template that is not on the search path now.
  }
  return templates_.emplace(kernel, std::move(found)).first->second;
}

bool Freshness::template_changed(const db::ProblemKey& problem) const {
  const spec::TemplatePtr& spec = template_of(problem.kernel);
  return spec != nullptr && spec->hash != problem.template_hash;
}

const std::vector<Difference>& Freshness::changed_parts(const db::ProblemKey& problem) const {
  const auto [entry, fresh] = changed_parts_.try_emplace(problem.kernel + "\n" + problem.template_hash);
  std::vector<Difference>& changed = entry->second;
  if (!fresh) return changed;
  const spec::TemplatePtr& spec = template_of(problem.kernel);
  const auto then = store_ != nullptr ? store_->template_parts(problem.template_hash)
                                      : std::map<std::string, std::string>();
  if (!then.empty()) {
    const std::map<std::string, std::string>& now = spec->hash_parts;
    std::set<std::string> names;
    for (const auto* parts : {&then, &now})
      for (const auto& [name, hash] : *parts) names.insert(name);
    for (const std::string& name : names)
      if (value_of(then, name) != value_of(now, name))
        changed.push_back({"template", name, value_of(then, name), value_of(now, name)});
  }
  // Files of version 1 do not say what their hashes were made of.
  if (changed.empty()) changed.push_back({"template", "", problem.template_hash, spec->hash});
  return changed;
}

std::vector<Difference> Freshness::differences(const db::ProblemKey& problem,
                                               const db::Toolchain& then) const {
  std::vector<Difference> result;
  if (template_changed(problem)) result = changed_parts(problem);
  if (then.driver_version != 0 && present_.driver_version != 0 &&
      (then.driver_version != present_.driver_version || differ(then.driver_name, present_.driver_name)))
    result.push_back(
        {"driver", "", then.driver_name.empty() ? std::to_string(then.driver_version) : then.driver_name,
         present_.driver_name.empty() ? std::to_string(present_.driver_version) : present_.driver_name});
  if (differ(then.nvrtc_version, present_.nvrtc_version))
    result.push_back({"NVRTC", "", then.nvrtc_version, present_.nvrtc_version});
  if (differ(then.headers_hash, present_.headers_hash))
    result.push_back({"toolkit headers", "", then.headers_hash, present_.headers_hash});
  return result;
}

std::string Freshness::of(const db::ProblemKey& problem, const db::Toolchain& then) const {
  std::vector<std::string> words;
  if (template_of(problem.kernel) == nullptr) words.emplace_back("template not found here");
  std::vector<std::string> parts;
  bool changed = false, other_nvrtc = false, other_driver = false;
  for (const Difference& each : differences(problem, then)) {
    changed = changed || each.field == "template";
    other_driver = other_driver || each.field == "driver";
    other_nvrtc = other_nvrtc || each.field == "NVRTC" || each.field == "toolkit headers";
    if (!each.what.empty()) parts.push_back(each.what);
  }
  if (changed) words.push_back("template changed" + (parts.empty() ? "" : ": " + join(parts, " ")));
  if (other_driver) words.emplace_back("other driver");
  if (other_nvrtc) words.emplace_back("other NVRTC");
  if (!words.empty()) return join(words);
  return present_.driver_version != 0 ? "fresh" : "unchecked";
}

}  // namespace warptune::tuner
