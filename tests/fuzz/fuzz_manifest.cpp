// Fuzz target: any text as a manifest and, after a line "---", the source. What loads is used: configs, launch plans,
// costs, for a few sizes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <warptune/base/error.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/space.hpp>

namespace {

using namespace warptune;

template <class Action>
void allow_errors(Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.full_text().empty()) std::abort();
  }
}

spec::DeviceTraits h200() {
  spec::DeviceTraits traits;
  traits.model = "NVIDIA H200";
  traits.compute_capability = 90;
  traits.sm_count = 132;
  return traits;
}

void use(const spec::TemplatePtr& spec) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000003}, INT64_MAX}) {
    allow_errors([&] {
      spec::Problem problem;
      for (const spec::TypeParameter& type : spec->type_parameters)
        problem.types.emplace(type.name, type.allowed.empty() ? "float" : type.allowed.front());
      for (const spec::DimSpec& dim : spec->dims) problem.dims.emplace(dim.name, size);
      const spec::Instance instance(spec, std::move(problem), h200());
      const spec::Space space(instance);
      int seen = 0;
      // Spaces beyond this are as large as their author made them, not wrong.
      if (space.cartesian_size() > 100000) return;
      space.for_each([&](const spec::Config& config) {
        allow_errors([&] { (void)instance.plan(config); });
        allow_errors([&] { (void)instance.buffers(config); });
        allow_errors([&] { (void)instance.entries(config); });
        allow_errors([&] { (void)instance.alignment_class(config); });
        return ++seen < 20;
      });
      allow_errors([&] { (void)instance.check_plan(); });
      allow_errors([&] { (void)instance.cost_bytes(); });
      allow_errors([&] { (void)instance.also_dims(); });
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view separator = "\n---\n";
  const std::size_t at = text.find(separator);
  const std::string manifest(text.substr(0, at));
  const std::string source(at == std::string_view::npos ? "" : text.substr(at + separator.size()));
  allow_errors([&] { use(spec::parse_template(manifest, source, "fuzz.toml")); });
  return 0;
}
