// Named values as people read them. Pure, thread-safe.
#pragma once

#include <fmt/format.h>

#include <string>

namespace warptune::runtime {

// "n=1024 rank=2": names and values of a map.
template <typename Map>
std::string named_text(const Map& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace warptune::runtime
