// What the tests of trust share: the card, problems of about a hundred configs, and rows of the table that they print.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/measure/handles.hpp"

namespace warptune::trust {

// The first GPU, opened once, with kernels from the disk cache.
class Card {
 public:
  Card();
  const runtime::DeviceInfo& info() const { return device_->info(); }
  runtime::Device& device() { return *device_; }
  runtime::KernelBuilder& builder() { return *builder_; }
  runtime::StreamHandle stream() const { return stream_.get(); }
  std::unique_ptr<tuner::DeviceEvaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem,
                                               const std::string& policy = "cold", std::uint64_t seed = 1);

 private:
  std::shared_ptr<runtime::Device> device_;
  tuner::OwnedStream stream_;  // of all evaluators
  std::shared_ptr<runtime::KernelBuilder> builder_;
  std::shared_ptr<runtime::Sensors> sensors_;
  std::optional<tuner::Ceilings> ceilings_;
};

// dot with fewer values of each tunable: 108 configs of half, all measured whole by the test of regret.
spec::TemplatePtr small_dot(bool zeros = false);
// One kernel under 32 names: y = 2 x.
spec::TemplatePtr alike();
// WORK times as many steps of dependent arithmetic; n: steps.
spec::TemplatePtr known_work();
spec::Problem problem_of(std::string type, std::int64_t n);
std::vector<spec::Config> all_configs(const spec::Instance& instance);

// Times of every config in shuffled rounds: blocks in ns, [config][round]. `before`: ahead of each block; `round_done`: behind each
// round.
std::vector<std::vector<double>> time_rounds(tuner::Evaluator& evaluator,
                                             const std::vector<spec::Config>& configs, int rounds,
                                             std::uint64_t seed, const std::function<void()>& before = {},
                                             const std::function<void()>& round_done = {});

// A row of the table: what was tested, what was seen, what was to be reached.
void row(std::string_view test, std::string_view of, const std::string& seen, std::string_view goal,
         bool reached);

// "12 of 300 = 4.0 % (95 %: 2.1 to 6.9)", with the exact interval of Clopper and Pearson, Biometrika 26 (1934).
std::string share_text(int count, int of);

// The tests. `arguments`: what stood behind the test's name. Each prints its rows.
void repeat(Card& card, const std::vector<std::string>& arguments);
void known_ratio(Card& card, const std::vector<std::string>& arguments);
void equals(Card& card, const std::vector<std::string>& arguments);
void profiler(Card& card, const std::vector<std::string>& arguments);
void regret(Card& card, const std::vector<std::string>& arguments);
void sabotage(Card& card, const std::vector<std::string>& arguments);
void contended(Card& card, const std::vector<std::string>& arguments);

}  // namespace warptune::trust
