// Where the code of a config comes from: the bundle, where one is open, else the compiler and its disk cache.
#include <fmt/format.h>

#include "runtime/bundle/bundle.hpp"
#include "runtime/dispatch/runtime_state.hpp"

namespace warptune::runtime {
namespace {

ConfigCode compile(const spec::Instance& instance, const spec::Config& config, KernelBuilder& builder,
                   const std::string& architecture) {
  ConfigCode code;
  for (CompileResult& result : builder.build(compile_request(instance, config, architecture))) {
    if (result.kernel == nullptr)
      throw Error(ErrorKind::compile, result.entry + " does not compile: " + result.error);
    code.kernels.push_back(std::move(result.kernel));
  }
  return code;
}

}  // namespace

ConfigCode RuntimeState::code(const spec::Instance& instance, const spec::Config& config) {
  const std::string architecture = device_.device->info().architecture();
  if (bundle_ == nullptr) return compile(instance, config, builder(), architecture);

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
    return compile(instance, config, builder(), architecture);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_device) throw;
    throw Error(ErrorKind::no_device,
                fmt::format("{}, {}, and {}", machine.missing, ptx.missing, error.what()),
                "bundle this kernel and these types: warptune bundle", error.native_code());
  }
}

}  // namespace warptune::runtime
