// Where the code of a config comes from: the bundle, where one is open, else the compiler and its disk cache.
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/bundle/bundle.hpp"
#include "runtime/compile/binary_cache.hpp"
#include "runtime/dispatch/runtime_state.hpp"

namespace warptune::runtime {

ConfigCode RuntimeState::compile(const spec::Instance& instance, const spec::Config& config,
                                 const std::string& architecture) {
  // Two contexts of one device model want the same code, and one of them makes it.
  const CompileRequest request = compile_request(instance, config, architecture);
  std::string key;
  for (const std::string& entry : request.entries) key += BinaryCache::key(request, entry, {}) + " ";
  std::promise<ConfigCode> promise;
  std::shared_future<ConfigCode> made;
  bool is_mine = false;
  {
    const std::scoped_lock lock(compiled_mutex_);
    std::shared_future<ConfigCode>& known = compiled_[key];
    is_mine = !known.valid();
    if (is_mine) known = promise.get_future().share();
    made = known;
  }
  if (!is_mine) return made.get();
  try {
    ConfigCode code;
    for (CompileResult& result : builder().build(request)) {
      if (result.kernel == nullptr)
        throw Error(ErrorKind::compile, result.entry + " does not compile: " + result.error);
      code.kernels.push_back(std::move(result.kernel));
    }
    promise.set_value(std::move(code));
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::scoped_lock lock(compiled_mutex_);  // who asks next tries again
    compiled_.erase(key);
  }
  return made.get();
}

ConfigCode RuntimeState::code(const spec::Instance& instance, const spec::Config& config,
                              const std::string& architecture) {
  if (bundle_ == nullptr) return compile(instance, config, architecture);

  BundledCode machine = bundle_->code(instance, config, architecture);
  if (machine.missing.empty()) return {std::move(machine.kernels), false};
  // What is not the default has others to take its place, and what runs is what was bundled: nothing is compiled anew.
  if (config != instance.spec().default_config)
    throw Error(ErrorKind::not_found, machine.missing, "make the bundle anew");
  const auto warn_damage = [&](const BundledCode& code) {
    if (code.damaged) warn_once(code.missing, fmt::format("{}: {}", database_.string(), code.missing));
  };
  warn_damage(machine);
  BundledCode ptx = bundle_->code(instance, config, {});
  if (ptx.missing.empty()) return {std::move(ptx.kernels), true};
  warn_damage(ptx);
  try {
    return compile(instance, config, architecture);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device) throw;
    throw Error(ErrorKind::no_device,
                fmt::format("{}, {}, and {}", machine.missing, ptx.missing, error.what()),
                "bundle this kernel and these types: warptune bundle", error.native_code());
  }
}

}  // namespace warptune::runtime
