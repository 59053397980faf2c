#include "runtime/dispatch/runtime_state.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <warptune/base/text.hpp>
#include <warptune/base/version.hpp>
#include <warptune/db/store.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/element_type.hpp>

#include "runtime/dispatch/kernel_state.hpp"
#include "runtime/dispatch/messages.hpp"

namespace warptune::runtime {
namespace {

RuntimeOptions with_defaults(RuntimeOptions options, const std::filesystem::path& database) {
  if (options.on_miss == OnMiss::tune && !options.tuner)
    throw Error(ErrorKind::usage, "on_miss is OnMiss::tune, but there is no tuner",
                "link warptune::tuner and set RuntimeOptions::tuner = warptune::tuner::miss_tuner()");
  if (options.misses_file.empty()) options.misses_file = database.string() + ".misses";
  if (options.cache_folder.empty()) options.cache_folder = default_cache_folder();
  if (!options.warn)
    options.warn = [](const std::string& line) { std::fprintf(stderr, "warptune: %s\n", line.c_str()); };
  return options;
}

}  // namespace

RuntimeState::RuntimeState(std::filesystem::path database, RuntimeOptions options,
                           std::shared_ptr<Device> device, std::optional<std::span<const std::byte>> image)
    : database_(std::move(database)),
      options_(with_defaults(std::move(options), database_)),
      device_(std::move(device)),
      scratch_(device_),
      image_(image),
      misses_(options_.misses_file) {
  load_rows();
}

RuntimeState::~RuntimeState() = default;

db::Store RuntimeState::open_store() const {
  return image_ ? db::Store::open_memory(*image_, database_)
                : db::Store::open(database_, db::OpenMode::read_only);
}

void RuntimeState::load_rows() {
  // Whatever is wrong with the file, the caller's computation goes on.
  try {
    db::Store store = open_store();
    const db::DeviceKey device = device_key(device_.device->info().traits);
    rows_ = store.load_winners(device);
    nearby_ = std::make_unique<NearbyTimes>(
        store, device, [this] { return open_store(); }, [this](const std::string& line) { warn(line); });
    if (const std::string faults = faults_text(store); !faults.empty()) warn(faults);
    if (store.is_bundle()) bundle_ = std::make_unique<Bundle>(db::BundleReader(std::move(store)));
  } catch (const Error& error) {
    warn(fmt::format("{}; kernels run their default configs", error.full_text()));  // it names the file
  } catch (const std::exception& error) {
    warn(fmt::format("{}: {}; kernels run their default configs", database_.string(), error.what()));
  }
}

KernelBuilder& RuntimeState::builder() {
  const std::scoped_lock lock(builder_mutex_);
  if (builder_ == nullptr) {
    // One program per config is all that is ever built at once, so one thread serves.
    builder_ =
        std::make_unique<KernelBuilder>(options_.compiler != nullptr ? options_.compiler : open_nvrtc(),
                                        BuilderOptions{options_.cache_folder, 1});
  }
  return *builder_;
}

db::Toolchain RuntimeState::toolchain() {
  const DeviceInfo& info = device_.device->info();
  db::Toolchain toolchain;
  toolchain.driver_version = info.driver_version;
  toolchain.driver_name = info.driver_name;
  toolchain.warptune_version = version;
  if (bundle_ != nullptr) {
    toolchain.nvrtc_version = bundle_->info().nvrtc_version;
    toolchain.headers_hash = bundle_->info().headers_hash;
    return toolchain;
  }
  {
    const std::scoped_lock lock(builder_mutex_);
    if (no_compiler_) return toolchain;
  }
  try {
    const Compiler& compiler = builder().compiler();
    toolchain.nvrtc_version = compiler.version();
    toolchain.headers_hash = compiler.headers_hash();
  } catch (const Error&) {  // a launch that needs to compile says so; a selection does not need to
    const std::scoped_lock lock(builder_mutex_);
    no_compiler_ = true;
  }
  return toolchain;
}

void RuntimeState::warn(const std::string& line) const noexcept {
  try {
    options_.warn(line);
  } catch (...) {  // a hook must not fail a launch
  }
}

void RuntimeState::warn_once(const std::string& key, const std::string& line) {
  {
    const std::scoped_lock lock(mutex_);
    if (!said_.insert(key).second) return;
  }
  warn(line);
}

void RuntimeState::record_miss(std::string_view kernel, const Miss& miss) {
  const std::string why = misses_.add(miss_line(kernel, miss));
  const std::string file = misses_.path().string();
  if (!why.empty()) {
    warn_once("misses not written",
              fmt::format("{}: what was not tuned is not written down any more: {}", file, why));
    return;
  }
  warn_once("misses written",
            fmt::format("what was not tuned is written down; to tune it: warptune tune --misses {} --db {}",
                        shell_word(file), shell_word(tunable_database().string())));
}

std::vector<db::StoredWinner> RuntimeState::tune_miss(const Miss& miss) {
  const std::scoped_lock lock(tuning_mutex_);
  std::string why;
  try {
    return options_.tuner(miss);
  } catch (const Error& error) {
    why = error.full_text();
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "the tuner threw something unknown";
  }
  warn_once("tuner " + why,
            fmt::format("{} {} could not be tuned: {}", miss.spec->name, miss.problem.text(), why));
  return {};
}

spec::TemplatePtr RuntimeState::find_template(std::string_view name) {
  if (bundle_ != nullptr) {
    std::string fault;
    if (spec::TemplatePtr bundled = bundle_->find_template(std::string(name), fault)) return bundled;
    if (!fault.empty()) warn_once(fault, fmt::format("{}: {}", database_.string(), fault));
  }
  return spec::find_template(name);
}

KernelState& RuntimeState::kernel(std::string_view name, const std::map<std::string, std::string>& types,
                                  const KernelOptions& options) {
  KernelKey key{std::string(name), types, options.attributes, options.allowed.key(), options.policies};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return *found->second;
  }
  const spec::TemplatePtr spec = find_template(name);
  spec::Problem problem;
  for (const auto& [parameter, type] : types) {
    const auto known = spec::find_element_type(type);
    problem.types.emplace(parameter, known ? std::string(known->name) : type);
  }
  for (const spec::DimSpec& dim : spec->dims) problem.dims.emplace(dim.name, 1);
  problem.attributes.insert(options.attributes.begin(), options.attributes.end());
  problem.allowed = options.allowed;
  std::vector<db::StoredWinner> rows;
  rows_.visit(spec->name, [&](const db::StoredWinner& winner) { rows.push_back(winner); });
  Selector selector(spec::Instance(spec, std::move(problem), device_.device->info().traits),
                    SelectionRules{options.policies, options_.nearest_bound_log2,
                                   options_.on_miss != OnMiss::default_config},
                    rows, [this, kernel = spec->name](std::int64_t run) {
                      return nearby_ ? nearby_->of_run(kernel, run) : std::vector<db::NeighbourTime>();
                    });
  for (const std::string& fault : selector.faults()) {
    warn_once("row " + fault, fmt::format("{}: record cannot be used: {}", database_.string(), fault));
  }
  CoverSelector cover;
  if (bundle_ != nullptr)
    cover = CoverSelector(selector.instance(), options.policies, bundle_->cover(selector.instance()));
  auto state = std::make_unique<KernelState>(*this, std::string(name), options.policies, std::move(selector),
                                             std::move(cover));
  const std::scoped_lock lock(mutex_);  // where two threads came here at once, the first one's stays
  return *kernels_.emplace(std::move(key), std::move(state)).first->second;
}

}  // namespace warptune::runtime
