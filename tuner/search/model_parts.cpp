#include <array>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

void leave_out(ModelParts& parts, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, bool ModelParts::*>, 7> named = {{
      {"features", &ModelParts::features},
      {"compiled", &ModelParts::compiled},
      {"failures", &ModelParts::failures},
      {"divisibility", &ModelParts::divisibility},
      {"kernels", &ModelParts::kernels},
      {"local", &ModelParts::local},
      {"widths", &ModelParts::widths},
  }};
  std::vector<std::string> names;
  for (const auto& [known, part] : named) {
    names.emplace_back(known);
    if (known != name) continue;
    parts.*part = false;
    return;
  }
  throw Error(ErrorKind::not_found, "the models have no part '" + std::string(name) + "'",
              name_hint(name, names));
}

}  // namespace warptune::tuner
