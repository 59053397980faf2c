#include "bench/trust/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include <warptune/runtime/sensors.hpp>
#include <warptune/spec/space.hpp>

namespace warptune::trust {
namespace {

constexpr const char* alike_manifest = R"toml([kernel]
name = "alike"
summary = "y = 2 x, under many names"
source = "alike.cu"
[problem]
types = { T = ["float"] }
dims = ["n"]
[tunables]
NAME = [@NAMES@]
[default]
NAME = 1
[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"
[[buffer]]
name = "y"
type = "T"
elements = "n"
role = "out"
[[step]]
entry = "alike<{NAME}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["max(1, min(ceil_div(n, 256), 8 * device.sm_count))"]
block = ["256"]
[check]
output = "y"
reference = "alike_reference"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["max(1, min(ceil_div(n, 256), 8 * device.sm_count))"]
block = ["256"]
[[check.input]]
fill = "normal"
tolerance = 1e-6
[cost]
bytes = "8 * n"
)toml";

constexpr const char* alike_source = R"cu(
template <int Name>
__global__ void alike(const float* x, float* y, long long n) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) y[i] = 2 * x[i];
}
__global__ void alike_reference(const float* x, double* reference, double* scale, long long n) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) {
    reference[i] = 2.0 * x[i];
    scale[i] = reference[i] < 0 ? -reference[i] : reference[i];
  }
}
)cu";

constexpr const char* work_manifest = R"toml([kernel]
name = "work"
summary = "WORK * n dependent steps per thread"
source = "work.cu"
[problem]
types = { T = ["float"] }
dims = ["n"]
[tunables]
WORK = [1, 2, 4, 8]
[default]
WORK = 1
[[buffer]]
name = "y"
type = "T"
elements = "device.sm_count * 256"
role = "out"
[[step]]
entry = "work<{WORK}>"
args = ["y", { value = "n", type = "long long" }]
grid = ["device.sm_count"]
block = ["256"]
[check]
output = "y"
reference = "work_reference"
args = ["reference", "scale", { value = "n", type = "long long" }]
grid = ["device.sm_count"]
block = ["256"]
[[check.input]]
fill = "normal"
tolerance = 0.999
)toml";

constexpr const char* work_source = R"cu(
template <int Work>
__global__ void work(float* y, long long n) {
  float value = threadIdx.x;
  for (long long step = 0; step < Work * n; ++step) value = __fmaf_rn(value, 0.999f, 0.5f);
  y[blockIdx.x * 256 + threadIdx.x] = value;
}
__global__ void work_reference(double* reference, double* scale, long long) {
  reference[blockIdx.x * 256 + threadIdx.x] = 500;
  scale[blockIdx.x * 256 + threadIdx.x] = 1000;
}
)cu";

void replace(std::string& text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos)
    throw std::runtime_error("dot's manifest has no '" + std::string(what) + "' any more");
  text.replace(at, what.size(), by);
}

}  // namespace

Card::Card()
    : device_(runtime::open_cuda_device(0)),
      stream_(*device_),
      builder_(std::make_shared<runtime::KernelBuilder>(
          runtime::open_nvrtc(), runtime::BuilderOptions{runtime::default_cache_folder(), 0})),
      sensors_(runtime::open_sensors(device_->info())) {}

std::unique_ptr<tuner::DeviceEvaluator> Card::open(const spec::TemplatePtr& spec,
                                                   const spec::Problem& problem, const std::string& policy,
                                                   std::uint64_t seed) {
  tuner::DeviceEvaluatorOptions options;
  options.policy = policy;
  options.stream = stream();
  options.seed = seed;
  options.sensors = sensors_;
  options.ceilings = ceilings_;
  auto evaluator =
      tuner::make_device_evaluator(device_, builder_, spec::Instance(spec, problem, info().traits), options);
  ceilings_ = evaluator->ceilings();
  return evaluator;
}

spec::TemplatePtr small_dot(bool zeros) {
  spec::TemplateTexts texts = spec::texts_of(*spec::find_template("dot"));
  replace(texts.manifest_text, "NUM_THREADS = [32, 64, 128, 256, 512, 1024]",
          "NUM_THREADS = [128, 256, 512]");
  replace(texts.manifest_text, "PACK = [1, 2, 4, 8]", "PACK = [1, 4, 8]");
  replace(texts.manifest_text, "UNROLL = [1, 2, 4, 8]", "UNROLL = [1, 4, 8]");
  replace(texts.manifest_text, "BLOCKS_PER_SM = [0, 1, 2, 4, 8, 16]", "BLOCKS_PER_SM = [2, 4]");
  // The named variants have values that are gone.
  const std::size_t variants = texts.manifest_text.find("[[variant]]");
  texts.manifest_text.erase(variants, texts.manifest_text.find("[let]") - variants);
  if (zeros)
    for (int operand = 0; operand < 2; ++operand)
      replace(texts.manifest_text, "role = \"in\"\nfill = \"normal\"", "role = \"in\"\nfill = \"zero\"");
  return spec::restore_template(texts);
}

spec::TemplatePtr alike() {
  std::string manifest = alike_manifest, names;
  for (int name = 1; name <= 32; ++name) names += (name > 1 ? ", " : "") + std::to_string(name);
  replace(manifest, "@NAMES@", names);
  return spec::parse_template(manifest, alike_source, "alike.toml");
}

spec::TemplatePtr known_work() { return spec::parse_template(work_manifest, work_source, "work.toml"); }

spec::Problem problem_of(std::string type, std::int64_t n) {
  spec::Problem problem;
  problem.types = {{"T", std::move(type)}};
  problem.dims = {{"n", n}};
  return problem;
}

std::vector<spec::Config> all_configs(const spec::Instance& instance) { return spec::Space(instance).list(); }

std::vector<std::vector<double>> time_rounds(tuner::Evaluator& evaluator,
                                             const std::vector<spec::Config>& configs, int rounds,
                                             std::uint64_t seed, const std::function<void()>& before,
                                             const std::function<void()>& round_done) {
  evaluator.prepare(configs, [](std::size_t, std::size_t) {});
  std::vector<std::vector<double>> blocks(configs.size());
  std::vector<std::size_t> order(configs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      if (before) before();
      blocks[i].push_back(evaluator.time_block(configs[i]));
    }
    if (round_done) round_done();
  }
  return blocks;
}

void row(std::string_view test, std::string_view of, const std::string& seen, std::string_view goal,
         bool reached) {
  fmt::print("| {} | {} | {} | {} | {} |\n", test, of, seen, goal, reached ? "yes" : "no");
  std::fflush(stdout);
}

std::string share_text(int count, int of) {
  using Binomial = boost::math::binomial_distribution<>;
  const double low = count == 0 ? 0 : Binomial::find_lower_bound_on_p(of, count, 0.025);
  const double high = count == of ? 1 : Binomial::find_upper_bound_on_p(of, count, 0.025);
  return fmt::format("{} of {} = {:.1f} % (95 %: {:.1f} to {:.1f})", count, of, 100.0 * count / of, 100 * low,
                     100 * high);
}

}  // namespace warptune::trust
