#include "runtime/dispatch/runtime_state.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <warptune/base/text.hpp>
#include <warptune/base/version.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>

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
                           std::shared_ptr<Contexts> contexts,
                           std::optional<std::span<const std::byte>> image)
    : database_(std::move(database)),
      options_(with_defaults(std::move(options), database_)),
      image_(image),
      contexts_(std::move(contexts)),
      misses_(options_.misses_file) {
  enter(contexts_->current(), [this](const db::DeviceKey& device, LoadedRows& loaded) {
    db::Store store = open_store();
    if (!store.is_bundle()) return load(store, device, loaded);
    bundle_ = std::make_unique<Bundle>(db::BundleReader(std::move(store)));
    bundle_->read([&](const db::Store& bundled) { load(bundled, device, loaded); });
  });
}

RuntimeState::~RuntimeState() = default;

ContextState* RuntimeState::known(ContextId id) const noexcept {
  ContextState* context = newest_.load(std::memory_order_acquire);
  while (context != nullptr && context->id() != id) context = context->older();
  return context;
}

ContextState& RuntimeState::here() {
  const ContextId id = contexts_->current();
  if (ContextState* const context = known(id)) return *context;
  return enter(id, [this](const db::DeviceKey& device, LoadedRows& loaded) {
    if (bundle_ == nullptr) return load(open_store(), device, loaded);
    bundle_->read([&](const db::Store& bundled) { load(bundled, device, loaded); });
  });
}

ContextState& RuntimeState::enter(ContextId id, const LoadRows& load_rows) {
  LoadedRows loaded;
  const auto add = [&]() -> ContextState& {
    const std::scoped_lock lock(entering_);
    if (ContextState* const context = known(id)) return *context;
    std::shared_ptr<Device> device = contexts_->borrow();
    const db::DeviceKey key = device_key(device->info().traits);
    std::shared_ptr<const DeviceRows>& rows = rows_[key];
    if (rows == nullptr) {
      try {
        load_rows(key, loaded);
      } catch (const Error& error) {  // it names the file; whatever is wrong with it, the computation goes on
        loaded.warnings.push_back(error.full_text() + "; kernels run their default configs");
      } catch (const std::exception& error) {
        loaded.warnings.push_back(
            fmt::format("{}: {}; kernels run their default configs", database_.string(), error.what()));
      }
      rows = std::make_shared<const DeviceRows>(std::move(loaded.rows));
    }
    entered_.push_back(std::make_unique<ContextState>(*this, id, std::move(device), rows,
                                                      newest_.load(std::memory_order_relaxed)));
    newest_.store(entered_.back().get(), std::memory_order_release);
    return *entered_.back();
  };
  ContextState& context = add();
  for (const std::string& line : loaded.warnings) warn_once(line, line);
  return context;
}

db::Store RuntimeState::open_store() const {
  return image_ ? db::Store::open_memory(*image_, database_)
                : db::Store::open(database_, db::OpenMode::read_only);
}

void RuntimeState::load(const db::Store& store, const db::DeviceKey& device, LoadedRows& loaded) {
  loaded.rows.winners = store.load_winners(device);
  loaded.rows.nearby = std::make_unique<NearbyTimes>(
      store, device, [this] { return open_store(); },
      [this](const std::string& line) { warn_once(line, line); });
  if (std::string faults = faults_text(store); !faults.empty()) loaded.warnings.push_back(std::move(faults));
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

db::Toolchain RuntimeState::toolchain(const DeviceInfo& device) {
  db::Toolchain toolchain;
  toolchain.driver_version = device.driver_version;
  toolchain.driver_name = device.driver_name;
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

void RuntimeState::warn_once(const std::string& key, const std::string& line) {
  {
    const std::scoped_lock lock(said_mutex_);
    if (!said_.insert(key).second) return;
  }
  try {
    options_.warn(line);
  } catch (...) {  // a hook must not fail a launch
  }
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
  const auto [tuned, is_new] = tuned_.try_emplace(miss_line(miss.spec->name, miss));
  if (!is_new) return tuned->second;
  std::string why;
  try {
    return tuned->second = options_.tuner(miss);
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

CoverSelector RuntimeState::cover_selector(const spec::Instance& instance,
                                           const std::vector<std::string>& policies) const {
  return bundle_ == nullptr ? CoverSelector() : CoverSelector(instance, policies, bundle_->cover(instance));
}

}  // namespace warptune::runtime
