#include "runtime/bundle/bundle.hpp"

#include <optional>

#include <fmt/format.h>

#include <warptune/base/hash.hpp>
#include <warptune/runtime/problem_key.hpp>

namespace warptune::runtime {

spec::TemplatePtr Bundle::find_template(const std::string& kernel, std::string& fault) const {
  try {
    std::optional<db::BundledTemplate> bundled;
    {
      const std::scoped_lock lock(mutex_);
      bundled = reader_.find_template(kernel);
    }
    if (!bundled) return nullptr;
    spec::TemplatePtr restored = spec::restore_template(
        {bundled->manifest_name, bundled->manifest, bundled->source_name, bundled->source, bundled->headers});
    if (restored->hash == bundled->template_hash) return restored;
    fault = fmt::format("template {} of the bundle does not fit its hash", kernel);
  } catch (const Error& error) {
    fault = fmt::format("template {} of the bundle cannot be read: {}", kernel, error.what());
  }
  return nullptr;
}

BundledCode Bundle::code(const spec::Instance& instance, const spec::Config& config,
                         const std::string& architecture) const {
  const std::string form = architecture.empty() ? "PTX" : "machine code for " + architecture;
  BundledCode code;
  for (const std::string& entry : instance.entries(config)) {
    const auto give_up = [&](const std::string& why, bool damaged) {
      code.kernels.clear();
      code.missing = why;
      code.damaged = damaged;
      return code;
    };
    std::optional<db::BundledKernel> found;
    try {
      const std::scoped_lock lock(mutex_);
      found = reader_.find_kernel({instance.spec().hash, entry, architecture, instance.prelude(config)});
    } catch (const Error& error) {
      return give_up(fmt::format("{} of {} cannot be read: {}", form, entry, error.what()), true);
    }
    if (!found) return give_up(fmt::format("the bundle has no {} of {}", form, entry), false);
    const std::string_view bytes(reinterpret_cast<const char*>(found->image.data()), found->image.size());
    if (hash_hex(bytes) != found->image_hash)
      return give_up(fmt::format("{} of {} does not fit its hash in the bundle", form, entry), true);
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->entry = entry;
    kernel->lowered_name = found->lowered_name;
    kernel->image = std::make_shared<const std::vector<std::byte>>(std::move(found->image));
    kernel->traits = {found->registers, found->local_bytes, found->static_shared_bytes,
                      found->max_threads_per_block};
    code.kernels.push_back(std::move(kernel));
  }
  return code;
}

std::vector<db::CoverRow> Bundle::cover(const spec::Instance& instance) const {
  try {
    const std::scoped_lock lock(mutex_);
    return reader_.cover(instance.spec().name, device_key(instance.device()));
  } catch (const Error&) {  // without a cover the default serves
    return {};
  }
}

}  // namespace warptune::runtime
