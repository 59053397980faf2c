#include "tuner/bench/library_times.hpp"

#include <algorithm>

#include <warptune/runtime/problem_key.hpp>

#include "tuner/report/config_text.hpp"

namespace warptune::tuner {

std::vector<db::ReferenceTime> library_times(const spec::TemplateSpec& spec, const db::ProblemKey& key,
                                             const db::Toolchain& toolchain,
                                             const std::vector<Standing>& standings) {
  const auto tuned = std::find_if(standings.begin(), standings.end(), [](const Standing& each) {
    return each.role == Role::tuned && each.time_ns && each.config;
  });
  std::vector<db::ReferenceTime> times;
  for (const Standing& standing : standings) {
    if (standing.role != Role::library || !standing.time_ns) continue;
    db::ReferenceTime time;
    time.kernel = key.kernel;
    time.types = key.types;
    time.dims = all_dims(key);
    time.attributes = key.attributes;
    time.device = key.device;
    time.policy = key.policy;
    time.library = standing.name;
    time.call = standing.call;
    time.library_version = standing.version;
    time.toolchain = toolchain;
    time.time_ns = *standing.time_ns;
    time.interval_low_ns = standing.interval_low_ns;
    time.interval_high_ns = standing.interval_high_ns;
    time.samples = standing.samples;
    if (tuned != standings.end()) {
      const auto speedup = tuned->speedup.find(standing.name);
      if (speedup != tuned->speedup.end())
        time.beside =
            db::Beside{runtime::stored_config(spec, *tuned->config), *tuned->time_ns, speedup->second};
    }
    times.push_back(std::move(time));
  }
  return times;
}

}  // namespace warptune::tuner
