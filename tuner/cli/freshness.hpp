// How far a stored result can be trusted here, and what differs where it is stale. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::tuner {

// One thing that was otherwise when a result was made.
struct Difference {
  std::string field;      // "template", "driver", "NVRTC", "toolkit headers"
  std::string what;       // for a template: the file or manifest part, "dot.cu"; empty: not known
  std::string then, now;  // versions or hashes; empty: there was none
};

class Freshness {
 public:
  // `present`: this machine's toolchain; parts that are empty or 0 are not compared. `store`, which may be null and
  // must outlive this, says what template hashes were made of.
  Freshness(db::Toolchain present, const db::Store* store) : present_(std::move(present)), store_(store) {}

  // A template that was named by its path, so that it is not looked for by name; null: nothing.
  void know(const spec::TemplatePtr& spec) {
    if (spec != nullptr) templates_[spec->name] = spec;
  }

  // "fresh"; "unchecked" when there is no toolchain to compare with; else what differs, such as "template changed:
  // dot.cu, other driver". A result whose template changed is not used by the runtime; one of another toolchain is,
  // with a mark.
  std::string of(const db::ProblemKey& problem, const db::Toolchain& then) const;
  // Empty when nothing differs, or the template is not found here.
  std::vector<Difference> differences(const db::ProblemKey& problem, const db::Toolchain& then) const;
  bool template_changed(const db::ProblemKey& problem) const;
  // Null where it is not found here.
  const spec::TemplatePtr& template_of(const std::string& kernel) const;

 private:
  const std::vector<Difference>& changed_parts(const db::ProblemKey& problem) const;
  db::Toolchain present_;
  const db::Store* store_;
  mutable std::map<std::string, spec::TemplatePtr> templates_;            // null: not found here
  mutable std::map<std::string, std::vector<Difference>> changed_parts_;  // by kernel and template hash
};

}  // namespace warptune::tuner
