#include "tuner/bench/library.hpp"

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

namespace warptune::tuner {

const std::vector<LibraryInfo>& libraries() {
  static const std::vector<LibraryInfo> list = {
      {"cublas", {{"dot", "cublasDotEx"}}, open_cublas},
      {"torch", {{"dot", "torch.dot"}, {"embedding", "torch.nn.functional.embedding"}}, open_torch},
  };
  return list;
}

const LibraryInfo& find_library(std::string_view name) {
  std::vector<std::string> names;
  for (const LibraryInfo& info : libraries()) {
    if (info.name == name) return info;
    names.emplace_back(info.name);
  }
  throw Error(ErrorKind::not_found, "no library '" + std::string(name) + "' to compare with",
              name_hint(std::string(name), names));
}

}  // namespace warptune::tuner
