#include "tuner/cli/search_options.hpp"

#include <warptune/base/text.hpp>

namespace warptune::tuner {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::string_view rest = list;
  for (;;) {
    const std::size_t comma = rest.find(',');
    words.emplace_back(trim(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return words;
    rest.remove_prefix(comma + 1);
  }
}

ModelParts parts_without(const std::string& list) {
  ModelParts parts;
  for (const std::string& word : words_of(list)) leave_out(parts, word);
  return parts;
}

}  // namespace warptune::tuner
