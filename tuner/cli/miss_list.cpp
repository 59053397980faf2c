#include "tuner/cli/miss_list.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/text.hpp>

#include "tuner/report/run_json.hpp"

namespace warptune::tuner {
namespace {

struct Missed {
  TuneTask task;
  std::string policy;
};

// Templates by the name that lines give; each is read once.
class Templates {
 public:
  const spec::TemplatePtr& find(const std::string& name) {
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    return known_.emplace(name, spec::find_template(name)).first->second;
  }

 private:
  std::map<std::string, spec::TemplatePtr> known_;
};

Missed read_line(std::string_view line, Templates& templates) {
  const JsonValue document = parse_json(line, "the line");
  const JsonReader json(document, "");
  if (json.at("warptune_miss").integer() != 1)
    json.at("warptune_miss").fail("is not 1, the one version known");
  Missed missed;
  missed.task.spec = templates.find(json.at("kernel").text());
  spec::Problem& problem = missed.task.problem;
  for (const auto& [name, type] : json.at("types").members()) problem.types[name] = type.text();
  for (const auto& [name, dim] : json.at("dims").members()) {
    problem.dims[name] = dim.integer();
    if (dim.integer() <= 0) dim.fail("is not above 0");
  }
  for (const auto& [name, word] : json.at("attributes").members()) problem.attributes[name] = word.text();
  problem.allowed = spec::Numerics::parse(json.at("allow").text());
  missed.policy = json.at("policy").text();
  missed.task.device = read_device(json.at("device"));
  // Checks the problem, and states what was left unstated.
  missed.task.problem = spec::Instance(missed.task.spec, problem, spec::DeviceTraits{}).problem();
  return missed;
}

}  // namespace

std::vector<TuneTask> read_misses(const std::filesystem::path& file, const std::string& policy,
                                  std::ostream& err) {
  const std::string text = read_file(file);
  struct Asked {
    TuneTask task;
    std::size_t lines = 1;
  };
  std::vector<Asked> asked;
  Templates templates;
  std::size_t number = 0, of_other_policies = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    try {
      Missed missed = read_line(line, templates);
      if (missed.policy != policy) {
        ++of_other_policies;
        continue;
      }
      const auto same = std::find_if(asked.begin(), asked.end(), [&](const Asked& each) {
        return each.task.spec == missed.task.spec && each.task.problem == missed.task.problem &&
               each.task.device == missed.task.device;
      });
      if (same != asked.end()) {
        ++same->lines;
      } else {
        asked.push_back({std::move(missed.task)});
      }
    } catch (const Error& error) {
      err << "warptune: " << file.string() << ": line " << number << " is left out: " << error.what() << '\n';
    }
  }
  if (of_other_policies > 0)
    err << "warptune: " << of_other_policies << " lines ask for another policy than " << policy
        << " and are left out (--policy)\n";
  if (asked.empty())
    throw Error(ErrorKind::bad_input, "'" + file.string() + "' names no problem to tune",
                "open the runtime with on_miss = record, and run the application");
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Asked& a, const Asked& b) { return a.lines > b.lines; });
  std::vector<TuneTask> tasks;
  for (Asked& each : asked) tasks.push_back(std::move(each.task));
  return tasks;
}

}  // namespace warptune::tuner
