// Runs a fuzz target without libFuzzer: every seed as it is, then changed at random for a given time.
//   fuzz_X SECONDS FOLDER...      the seed of the changes is fixed, so a failure comes again
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> seeds_of(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 2; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

// Overwrites, removes, doubles or cuts a piece, one to eight times.
Bytes changed(Bytes bytes, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return bound == 0 ? 0 : random() % bound; };
  for (std::size_t times = 1 + below(8); times > 0; --times) {
    const std::size_t at = below(bytes.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + below(16), bytes.size() - at);
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at),
               to = from + static_cast<std::ptrdiff_t>(length);
    switch (below(5)) {
      case 0:
        for (auto each = from; each != to; ++each) *each = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes.erase(from, to);
        break;
      case 2: {
        const Bytes piece(from, to);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)), piece.begin(),
                     piece.end());
        break;
      }
      case 3:
        for (auto each = from; each != to; ++each) *each ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      default:
        if (below(8) == 0) bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Bytes> seeds = seeds_of(argc, argv);
  if (argc < 3 || seeds.empty()) {
    std::fprintf(stderr, "usage: %s SECONDS FOLDER...   (folders with seeds)\n", argv[0]);
    return 2;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  std::mt19937 random(1);
  long tried = static_cast<long>(seeds.size());
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    const Bytes bytes = changed(seeds[random() % seeds.size()], random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%ld inputs\n", tried);
  return 0;
}
