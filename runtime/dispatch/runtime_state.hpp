// What all contexts of a Runtime share: file, bundle, compiler, compiled code, misses, warnings. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/runtime/contexts.hpp>
#include <warptune/runtime/cover_selector.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/spec/catalog.hpp>

#include "runtime/bundle/bundle.hpp"
#include "runtime/dispatch/config_code.hpp"
#include "runtime/dispatch/context_state.hpp"
#include "runtime/dispatch/miss_file.hpp"

namespace warptune::runtime {

class RuntimeState {
 public:
  // `image`: the database where it lies in memory; `database` is then what messages call it. Errors: as Runtime::open().
  RuntimeState(std::filesystem::path database, RuntimeOptions options, std::shared_ptr<Contexts> contexts,
               std::optional<std::span<const std::byte>> image = std::nullopt);
  ~RuntimeState();

  const Contexts& contexts() const { return *contexts_; }
  // The context that is current on this thread. No lock, and one look at what is current, once it is known. Errors:
  // no_device (none is current).
  ContextState& here();

  const RuntimeOptions& options() const { return options_; }
  const std::filesystem::path& database() const { return database_; }
  // What notices tell people to tune into: a bundle is not tuned.
  std::filesystem::path tunable_database() const { return bundle_ == nullptr ? database_ : "tuning.db"; }

  // A template of the bundle, built-in, or from a file. Errors: not_found, bad_input.
  spec::TemplatePtr find_template(std::string_view name);
  // The bundle's cover for an instance; serves nothing where there is no bundle.
  CoverSelector cover_selector(const spec::Instance& instance,
                               const std::vector<std::string>& policies) const;
  // The code of a config for the instance's device: that of the bundle, where one is open, and for the default its PTX; else
  // compiled or from the disk cache, once however many contexts ask. Errors: compile, no_device (NVRTC), not_found (the bundle
  // lacks it, or it is damaged).
  ConfigCode code(const spec::Instance& instance, const spec::Config& config,
                  const std::string& architecture);
  // Driver, and NVRTC and headers: those that made the bundle's code, else those that a compiler here has, where there is one.
  db::Toolchain toolchain(const DeviceInfo& device);

  // Says one line through the hook, once per `key`; what the hook throws is dropped.
  void warn_once(const std::string& key, const std::string& line);

  // Writes a miss down and says so, each once. `kernel`: the name or manifest path to tune it by.
  void record_miss(std::string_view kernel, const Miss& miss);
  // What the tuner gives for a miss; nothing where it fails, which is said. One miss at a time, and each once however many contexts
  // of a device model meet it.
  std::vector<db::StoredWinner> tune_miss(const Miss& miss);

 private:
  struct LoadedRows {
    DeviceRows rows;
    std::vector<std::string> warnings;  // to be said once no lock is held
  };
  using LoadRows = std::function<void(const db::DeviceKey& device, LoadedRows& loaded)>;
  ContextState* known(ContextId id) const noexcept;
  // Adds the context that is current, which has this id. What `load_rows` throws is a warning, and there are no rows.
  ContextState& enter(ContextId id, const LoadRows& load_rows);
  db::Store open_store() const;
  void load(const db::Store& store, const db::DeviceKey& device, LoadedRows& loaded);
  // Opens the compiler when first called. Errors: no_device.
  KernelBuilder& builder();
  ConfigCode compile(const spec::Instance& instance, const spec::Config& config,
                     const std::string& architecture);

  const std::filesystem::path database_;
  const RuntimeOptions options_;
  const std::optional<std::span<const std::byte>> image_;
  const std::shared_ptr<Contexts> contexts_;
  std::atomic<ContextState*> newest_ = nullptr;  // of entered_, each with the one before it
  std::unique_ptr<Bundle> bundle_;               // constant once the runtime is open

  MissFile misses_;
  std::mutex tuning_mutex_;
  std::map<std::string, std::vector<db::StoredWinner>> tuned_;  // by miss_line(); under tuning_mutex_

  std::mutex builder_mutex_;
  std::unique_ptr<KernelBuilder> builder_;
  bool no_compiler_ = false;  // opening failed; toolchain() does not try again
  std::mutex compiled_mutex_;
  std::map<std::string, std::shared_future<ConfigCode>> compiled_;

  std::mutex said_mutex_;
  std::set<std::string> said_;

  std::mutex entering_;
  std::map<db::DeviceKey, std::shared_ptr<const DeviceRows>> rows_;  // under entering_
  std::vector<std::unique_ptr<ContextState>> entered_;               // under entering_
};

}  // namespace warptune::runtime
