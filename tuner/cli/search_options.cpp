#include "tuner/cli/search_options.hpp"

#include <warptune/base/text.hpp>

namespace warptune::tuner {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : split(list, ',')) words.emplace_back(trim(word));
  return words;
}

ModelParts parts_without(const std::string& list) {
  ModelParts parts;
  for (const std::string& word : words_of(list)) leave_out(parts, word);
  return parts;
}

}  // namespace warptune::tuner
