#include "tests/runtime/bundle_fixture.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include <warptune/runtime/problem_key.hpp>

namespace warptune::testing {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Machine code and PTX of one kernel differ in their first line.
std::vector<std::byte> image_of(const std::string& entry, const std::string& architecture) {
  return stub_image({entry, "for " + architecture});
}

}  // namespace

void BundleTest::write(const std::vector<TallyRow>& winners, const std::vector<Code>& codes,
                       const std::vector<std::pair<TallyRow, double>>& cover) {
  db::BundleWriter writer(bundle());
  const spec::TemplatePtr spec = tally();
  for (const TallyRow& row : winners) {
    const db::StoredWinner stored = tally_winner(row);
    db::RunInfo info;
    info.toolchain = stored.toolchain;
    info.strategy = "exhaustive";
    const std::int64_t run = writer.store().begin_run(stored.problem, info);
    writer.store().end_run(run, {}, {stored.winner});
  }
  writer.add(db::BundledTemplate{
      spec->name, spec->hash, "tally.toml", tally_manifest, "tally.cu", spec->source, {}});
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", 1024}, {"k", 1}};
  const spec::Instance instance(spec, problem, stub_traits());
  std::set<std::pair<std::string, std::string>> added;
  for (const Code& code : codes) {
    for (const std::string& entry : instance.entries(runtime::read_config(*spec, code.config))) {
      if (!added.emplace(entry, code.architecture).second) continue;
      writer.add(db::BundledKernel{{spec->hash, entry, code.architecture, ""},
                                   entry,
                                   32,
                                   0,
                                   0,
                                   1024,
                                   {},
                                   image_of(entry, code.architecture)});
    }
  }
  for (const auto& [row, loss] : cover)
    writer.add(db::CoverRow{tally_winner(row).problem, row.alignment_bytes, row.config, loss});
  writer.publish({"0.1.0", "13.0", "stub-headers", 1});
  std::filesystem::remove(manifest());
  std::filesystem::remove(folder_ / "tally.cu");
}

void BundleTest::damage(const std::string& entry, const std::string& architecture) {
  std::string bytes = content(bundle());
  const std::vector<std::byte> image = image_of(entry, architecture);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(image.data()), image.size()));
  ASSERT_NE(at, std::string::npos) << entry << " " << architecture;
  bytes[at + image.size() - 2] ^= 1;
  std::filesystem::remove(bundle());
  std::ofstream(bundle(), std::ios::binary) << bytes;
}

runtime::RuntimeOptions BundleTest::options() {
  runtime::RuntimeOptions options = DispatchTest::options();
  options.compiler = no_compiler_;
  return options;
}

}  // namespace warptune::testing
