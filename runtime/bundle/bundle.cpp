#include "runtime/bundle/bundle.hpp"

#include <optional>

#include <fmt/format.h>

#include <warptune/base/hash.hpp>
#include <warptune/runtime/problem_key.hpp>

namespace warptune::runtime {

void Bundle::read(const std::function<void(const db::Store&)>& read) const {
  const std::scoped_lock lock(mutex_);
  read(reader_.store());
}

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

std::shared_ptr<const CompiledKernel> Bundle::kernel(const db::BundledKernelKey& key,
                                                     BundledCode& code) const {
  const auto known = kernels_.find(key);
  if (known != kernels_.end()) return known->second;
  const std::string form = key.architecture.empty() ? "PTX" : "machine code for " + key.architecture;
  std::optional<db::BundledKernel> found;
  try {
    found = reader_.find_kernel(key);
  } catch (const Error& error) {
    code.missing = fmt::format("{} of {} cannot be read: {}", form, key.entry, error.what());
    code.damaged = true;
    return nullptr;
  }
  if (!found) {
    code.missing = fmt::format("the bundle has no {} of {}", form, key.entry);
    return nullptr;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(found->image.data()), found->image.size());
  if (hash_hex(bytes) != found->image_hash) {
    code.missing = fmt::format("{} of {} does not fit its hash in the bundle", form, key.entry);
    code.damaged = true;
    return nullptr;
  }
  auto made = std::make_shared<CompiledKernel>();
  made->entry = key.entry;
  made->lowered_name = found->lowered_name;
  made->image = std::make_shared<const std::vector<std::byte>>(std::move(found->image));
  made->traits = {found->registers, found->local_bytes, found->static_shared_bytes,
                  found->max_threads_per_block};
  return kernels_.emplace(key, std::move(made)).first->second;
}

BundledCode Bundle::code(const spec::Instance& instance, const spec::Config& config,
                         const std::string& architecture) const {
  BundledCode code;
  const std::string prelude = instance.prelude(config);
  const std::scoped_lock lock(mutex_);
  for (const std::string& entry : instance.entries(config)) {
    auto found = kernel({instance.spec().hash, entry, architecture, prelude}, code);
    if (found == nullptr) {
      code.kernels.clear();
      break;
    }
    code.kernels.push_back(std::move(found));
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
