// Fuzz target: a bundle that lies in memory, as an executable holds one, with pieces of it overwritten: where, how many bytes,
// and the bytes, again and again. An input that begins as SQLite files do is the image itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/db/bundle.hpp>

#include "tests/db/support.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/use_database.hpp"

namespace {

using namespace warptune;

std::string make_bundle() {
  const std::filesystem::path file = fuzz::scratch_folder() / "sample.wtb";
  db::BundleWriter writer(file);
  const std::int64_t run = writer.store().begin_run(db::test::sample_problem(), db::test::sample_run());
  writer.store().add_neighbour_times(run, db::test::sample_neighbours());
  writer.store().end_run(run, db::test::sample_end(), {db::test::sample_winner()});
  writer.add(
      db::BundledTemplate{"dot", "hash", "dot.toml", "[kernel]", "dot.cu", "// code", {{"a.cuh", "x"}}});
  db::BundledKernel kernel{{"hash", "dot<float>", "sm_90", ""}, "_Z3dot", 40, 8, 1024, 256, {}, {}};
  kernel.image.assign(6000, std::byte{0x7F});  // overflow pages
  writer.add(kernel);
  writer.add(db::CoverRow{db::test::sample_problem(), 16, db::test::sample_config(128), 0.0125});
  writer.publish({"0.1.0", "13.0", "headers", 1234});
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string bundle = make_bundle();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string image = bundle;
  if (rest.starts_with("SQLite format 3")) {
    image = rest;
    rest = {};
  }
  constexpr std::size_t head = 4;  // where: three bytes; how many: one
  while (rest.size() > head) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(rest[i]));
    };
    const std::size_t at = (byte(0) << 16 | byte(1) << 8 | byte(2)) % image.size();
    const std::size_t count = std::min({byte(3), rest.size() - head, image.size() - at});
    std::memcpy(image.data() + at, rest.data() + head, count);
    rest.remove_prefix(head + count);
  }
  fuzz::use_image(std::as_bytes(std::span(image)));
  return 0;
}
