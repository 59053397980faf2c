// The same result with the driver alone: loads the images that start_plan wrote and launches what it says. Started by start_up.py.
//   start_bare PLAN
// PLAN has a line per kernel: image, kernel, grid (3), block (3), dynamic shared bytes, then its parameters: a, b, y, w+OFFSET
// (workspace), c+OFFSET (counters, zero), or v:SIZE:VALUE. Before them a line with the bytes of workspace and counters.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "bench/bare_driver.hpp"

namespace {

using warptune::bench::BareDriver;

struct Operands {
  CUdeviceptr a, b, y, workspace, counters;
};

std::uint64_t parameter(const std::string& word, const Operands& operands) {
  if (word == "a") return operands.a;
  if (word == "b") return operands.b;
  if (word == "y") return operands.y;
  if (word[0] == 'w') return operands.workspace + std::stoull(word.substr(2));
  if (word[0] == 'c') return operands.counters + std::stoull(word.substr(2));
  return std::stoull(
      word.substr(word.rfind(':') + 1));  // little endian: its first bytes are the smaller types'
}

void launch(const BareDriver& driver, const std::string& line, const Operands& operands) {
  std::istringstream words(line);
  std::string image, name;
  unsigned grid[3], block[3], shared = 0;
  words >> image >> name >> grid[0] >> grid[1] >> grid[2] >> block[0] >> block[1] >> block[2] >> shared;
  std::vector<std::uint64_t> values;
  for (std::string word; words >> word;) values.push_back(parameter(word, operands));
  std::vector<void*> pointers;
  for (std::uint64_t& value : values) pointers.push_back(&value);

  std::ifstream file(image, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  BareDriver::check(driver.find<decltype(&cuLibraryLoadData)>("cuLibraryLoadData")(
                        &library, bytes.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                    "cuLibraryLoadData");
  BareDriver::check(
      driver.find<decltype(&cuLibraryGetKernel)>("cuLibraryGetKernel")(&kernel, library, name.c_str()),
      "cuLibraryGetKernel");
  BareDriver::check(driver.find<decltype(&cuLaunchKernel)>("cuLaunchKernel")(
                        reinterpret_cast<CUfunction>(kernel), grid[0], grid[1], grid[2], block[0], block[1],
                        block[2], shared, nullptr, pointers.data(), nullptr),
                    "cuLaunchKernel");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: start_bare PLAN\n");
    return 2;
  }
  const BareDriver driver;
  std::ifstream plan(argv[1]);
  std::size_t workspace_bytes = 0, counter_bytes = 0;
  plan >> workspace_bytes >> counter_bytes >> std::ws;
  Operands operands{driver.ones(), driver.ones(), driver.allocate(sizeof(float)), 0, 0};
  if (workspace_bytes > 0) operands.workspace = driver.allocate(workspace_bytes);
  if (counter_bytes > 0) {
    operands.counters = driver.allocate(counter_bytes);
    BareDriver::check(driver.find<CUresult (*)(CUdeviceptr, unsigned char, std::size_t)>("cuMemsetD8_v2")(
                          operands.counters, 0, counter_bytes),
                      "cuMemsetD8");
  }
  for (std::string line; std::getline(plan, line);)
    if (!line.empty()) launch(driver, line, operands);
  return driver.report(operands.y);
}
