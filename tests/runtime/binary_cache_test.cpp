// The disk cache: what its key depends on, what damage does, several users at once.
#include "runtime/compile/binary_cache.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>
#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tests/support/stub_compiler.hpp"

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;
using testing::StubCompiler;

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warptune-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static CompileRequest request() {
    CompileRequest request;
    request.source = "source";
    request.program_name = "unit.cu";
    request.entries = {"k<1>", "k<2>", "k<3>"};
    request.options = {"-DA=1", "-DB=2"};
    request.headers = {{"a.cuh", "aa"}, {"b.cuh", "bb"}};
    request.architecture = "sm_90";
    return request;
  }
  std::vector<CompileResult> build(
      std::shared_ptr<StubCompiler> compiler = std::make_shared<StubCompiler>()) {
    KernelBuilder builder(compiler, {.cache_folder = folder_, .threads = 1, .batch = 24});
    auto results = builder.build(request());
    counts_ = builder.counts();
    return results;
  }
  std::vector<fs::path> files(const std::string& kind) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / kind)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

  fs::path folder_;
  BuildCounts counts_;
};

TEST_F(Cache, KeyDependsOnAllThatTheCodeDependsOn) {
  const CompileRequest base = request();
  std::set<std::string> keys{BinaryCache::key(base, "k<1>", "id")};
  const auto differs = [&](const CompileRequest& changed, const std::string& entry = "k<1>",
                           const std::string& identity = "id") {
    return keys.insert(BinaryCache::key(changed, entry, identity)).second;
  };
  CompileRequest changed = base;
  EXPECT_FALSE(differs(base));
  EXPECT_TRUE(differs(base, "k<2>"));
  EXPECT_TRUE(differs(base, "k<1>", "id2"));
  changed.source += " ";
  EXPECT_TRUE(differs(changed));
  changed = base;
  changed.architecture = "sm_80";
  EXPECT_TRUE(differs(changed));
  changed = base;
  changed.options = {"-DA=1-DB=2"};
  EXPECT_TRUE(differs(changed));
  changed.options = {"-DB=2", "-DA=1"};
  EXPECT_TRUE(differs(changed));
  changed = base;
  changed.headers["a.cuh"] = "ab";
  EXPECT_TRUE(differs(changed));
  changed.headers = {{"a.cuh", "aabb"}};
  EXPECT_TRUE(differs(changed));
  changed = base;
  changed.program_name = "other.cu";  // names in anonymous namespaces depend on it
  EXPECT_TRUE(differs(changed));
  changed = base;
  changed.entries = {"k<1>"};  // which kernels share the program does not matter
  EXPECT_FALSE(differs(changed));
}

TEST_F(Cache, SecondBuildCompilesNothingAndGivesTheSame) {
  auto compiler = std::make_shared<StubCompiler>();
  compiler->set_traits(
      "k<2>", {.registers = 77, .local_bytes = 16, .static_shared_bytes = 400, .max_threads_per_block = 128});
  const auto first = build(compiler);
  EXPECT_EQ(counts_.compiled, 3);
  const auto again = std::make_shared<StubCompiler>();
  const auto second = build(again);
  EXPECT_EQ(counts_.cached, 3);
  EXPECT_EQ(counts_.compiled, 0);
  EXPECT_TRUE(again->programs().empty());
  ASSERT_EQ(second.size(), 3u);
  for (std::size_t i = 0; i < second.size(); ++i) {
    EXPECT_TRUE(second[i].from_cache);
    EXPECT_EQ(second[i].kernel->lowered_name, first[i].kernel->lowered_name);
    EXPECT_EQ(*second[i].kernel->image, *first[i].kernel->image);
  }
  EXPECT_EQ(second[0].kernel->image, second[2].kernel->image);  // one program, one blob in memory
  EXPECT_EQ(second[1].kernel->traits.registers, 77);
  EXPECT_EQ(second[1].kernel->traits.local_bytes, 16);
  EXPECT_EQ(second[1].kernel->traits.static_shared_bytes, 400);
  EXPECT_EQ(second[1].kernel->traits.max_threads_per_block, 128);
}

TEST_F(Cache, OneBlobPerProgramAndNothingWorldWritable) {
  build();
  EXPECT_EQ(files("kernels").size(), 3u);
  EXPECT_EQ(files("binaries").size(), 1u);
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(entry.status().permissions() & fs::perms::others_write, fs::perms::none) << entry.path();
  }
}

TEST_F(Cache, DamagedBlobIsAMissAndReplaced) {
  const auto healthy = build();
  const fs::path blob = files("binaries").at(0);
  std::string content = read_file(blob);
  content.back() ^= 1;
  std::ofstream(blob, std::ios::binary) << content;
  const auto results = build();
  EXPECT_EQ(counts_.compiled, 3);
  EXPECT_EQ(*results[0].kernel->image, *healthy[0].kernel->image);
  build();
  EXPECT_EQ(counts_.cached, 3);
}

TEST_F(Cache, MissingBlobIsAMiss) {
  build();
  fs::remove(files("binaries").at(0));
  build();
  EXPECT_EQ(counts_.compiled, 3);
}

TEST_F(Cache, RecordCutShortOrChangedAtAnyByteIsAMiss) {
  build();
  const fs::path record = files("kernels").at(0);
  const std::string whole = read_file(record);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    std::ofstream(record, std::ios::binary) << whole.substr(0, bytes);
    build();
    ASSERT_EQ(counts_.compiled, 1) << "cut to " << bytes;
    std::string flipped = whole;
    flipped[bytes] = static_cast<char>(flipped[bytes] ^ 1);
    std::ofstream(record, std::ios::binary) << flipped;
    build();
    ASSERT_EQ(counts_.compiled, 1) << "changed at " << bytes;
  }
  build();
  EXPECT_EQ(counts_.cached, 3);
}

// A record with a sound checksum that names a file elsewhere: someone wrote it.
TEST_F(Cache, RecordThatPointsOutOfTheCacheIsAMissAndTouchesNothing) {
  build();
  const fs::path outside = folder_ / "outside";
  std::ofstream(outside) << "precious";
  const fs::path record = files("kernels").at(0);
  std::string text = read_file(record);
  text.erase(text.size() - hash_hex("").size() - 1);
  const std::size_t start = text.find('\n') + 1;
  text.replace(start, text.find('\n', start) - start, "../../outside");
  std::ofstream(record, std::ios::binary) << text << hash_hex(text) << "\n";
  build();
  EXPECT_EQ(counts_.compiled, 1);
  EXPECT_EQ(read_file(outside), "precious");
}

TEST_F(Cache, FolderThatCannotBeWrittenOnlyCostsTime) {
  const fs::path file = folder_ / "file";
  std::ofstream(file) << "in the way";
  KernelBuilder builder(std::make_shared<StubCompiler>(), {.cache_folder = file, .threads = 1, .batch = 24});
  for (const auto& result : builder.build(request())) EXPECT_TRUE(result.kernel);
}

TEST_F(Cache, FailuresAreNotKept) {
  auto failing = std::make_shared<StubCompiler>();
  failing->fail_entries("k<2>", "no");
  EXPECT_FALSE(build(failing)[1].kernel);
  EXPECT_TRUE(build()[1].kernel);
  EXPECT_EQ(counts_.compiled, 1);
}

TEST_F(Cache, SeveralBuildersShareOneFolder) {
  std::vector<std::jthread> users;
  std::atomic<int> good = 0;
  for (int user = 0; user < 8; ++user) {
    users.emplace_back([&] {
      KernelBuilder builder(std::make_shared<StubCompiler>(),
                            {.cache_folder = folder_, .threads = 2, .batch = 1});
      for (int round = 0; round < 10; ++round) {
        for (const auto& result : builder.build(request())) {
          good += result.kernel && result.kernel->lowered_name == result.entry ? 1 : 0;
        }
      }
    });
  }
  users.clear();
  EXPECT_EQ(good, 8 * 10 * 3);
}

TEST(DefaultCacheFolder, FollowsTheEnvironment) {
  ::setenv("WARPTUNE_CACHE_DIR", "/w", 1);
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(default_cache_folder(), "/w");
  ::unsetenv("WARPTUNE_CACHE_DIR");
  EXPECT_EQ(default_cache_folder(), "/x/warptune");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(default_cache_folder(), "/h/.cache/warptune");
  ::unsetenv("HOME");
  EXPECT_EQ(default_cache_folder(), "");
}

TEST_F(Cache, PruningTakesWhatWasNotUsedForLongAndWhatOnlyThatNeeded) {
  build();
  const auto kernels = files("kernels");
  ASSERT_EQ(kernels.size(), 3u);
  ASSERT_EQ(files("binaries").size(), 1u);
  constexpr std::int64_t day_s = 86400;
  const auto now = fs::file_time_type::clock::now();
  for (const char* kind : {"kernels", "binaries"})
    for (const fs::path& file : files(kind)) fs::last_write_time(file, now - std::chrono::hours(24 * 40));
  EXPECT_EQ(prune_cache(folder_, 50 * day_s, false).kernels, 0);
  // Using a kernel makes it young again, and keeps the binary that it shares with the others.
  BinaryCache cache(folder_);
  const std::string key = kernels[0].filename().string();
  ASSERT_TRUE(cache.load(key, "k<1>"));
  const CachePruned planned = prune_cache(folder_, 30 * day_s, true);
  EXPECT_EQ(planned.kernels, 2);
  EXPECT_EQ(files("kernels").size(), 3u) << "a dry run removes nothing";
  const CachePruned pruned = prune_cache(folder_, 30 * day_s, false);
  EXPECT_EQ(pruned.kernels, 2);
  EXPECT_EQ(pruned.binaries, 0);
  EXPECT_EQ(pruned.bytes, planned.bytes);
  EXPECT_EQ(files("kernels"), std::vector<fs::path>{kernels[0]});
  EXPECT_TRUE(BinaryCache(folder_).load(key, "k<1>"));
  EXPECT_EQ(prune_cache(folder_, 0, false).kernels, 1);
  EXPECT_EQ(files("binaries").size(), 0u);
  EXPECT_EQ(prune_cache(folder_ / "none", 0, false).kernels, 0);
}

}  // namespace
}  // namespace warptune::runtime
