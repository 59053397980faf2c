#include "tuner/loop/preference.hpp"

#include <algorithm>
#include <cstdlib>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

std::uint64_t threads_per_block(const spec::Instance& instance, const Outcome& outcome) {
  std::uint64_t threads = 0;
  const auto traits = [&](const std::string&) { return std::optional(outcome.traits); };
  for (const spec::PlanStep& step : instance.plan(outcome.config, traits).steps)
    if (const auto* kernel = std::get_if<spec::KernelStep>(&step))
      threads = std::max(threads, std::uint64_t{kernel->block.x} * kernel->block.y * kernel->block.z);
  return threads;
}

std::int64_t position(const spec::Tunable& tunable, const spec::Value& value) {
  const auto found = std::find_if(tunable.values.begin(), tunable.values.end(),
                                  [&](const spec::TunableValue& each) { return each.value == value; });
  return found - tunable.values.begin();
}

}  // namespace

PreferenceKey preference_key(const spec::Instance& instance, const Outcome& outcome) {
  const spec::TemplateSpec& spec = instance.spec();
  PreferenceKey key;
  key.local_bytes = outcome.traits.local_bytes;
  key.registers = outcome.traits.registers;
  key.shared_bytes = outcome.traits.static_shared_bytes;
  key.threads = threads_per_block(instance, outcome);
  for (std::size_t i = 0; i < spec.tunables.size(); ++i) {
    const spec::Tunable& tunable = spec.tunables[i];
    key.default_steps += std::abs(position(tunable, outcome.config.values[i]) -
                                  position(tunable, spec.default_config.values[i]));
  }
  key.text = spec::to_text(spec, outcome.config);
  return key;
}

}  // namespace warptune::tuner
