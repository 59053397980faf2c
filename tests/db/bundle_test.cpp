// Bundles as files: what is written comes back, nobody may write it, and nothing else is replaced by one.
#include <warptune/db/bundle.hpp>

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <warptune/base/hash.hpp>

#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"

namespace warptune::db::test {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

BundledKernel sample_kernel(const std::string& architecture, const std::string& image) {
  return {{"hash-1", "dot<float, 256>", architecture, "#define X 1\n"},
          "_Z3dot",
          40,
          8,
          1024,
          256,
          {},
          bytes_of(image)};
}

class BundleFile : public testing::Test {
 protected:
  // With the sample's run, one template, machine code, PTX, and a cover.
  void write() {
    BundleWriter writer(file_);
    const std::int64_t run = writer.store().begin_run(sample_problem(), sample_run());
    writer.store().add_outcome(run, sample_outcome());
    writer.store().add_neighbour_times(run, sample_neighbours());
    writer.store().end_run(run, sample_end(), {sample_winner()});
    writer.add(
        BundledTemplate{"dot", "hash-1", "dot.toml", "[kernel]", "dot.cu", "// code", {{"a.cuh", "x"}}});
    writer.add(sample_kernel("sm_90", "machine code"));
    writer.add(sample_kernel("compute_75", "PTX"));
    writer.add(CoverRow{sample_problem(), 16, sample_config(128), 0.0125});
    size_ = writer.publish({"0.1.0", "13.0", "headers", 1234});
  }
  BundleReader open() const { return BundleReader(Store::open(file_, OpenMode::read_only)); }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "app.wtb";
  std::int64_t size_ = 0;
};

TEST_F(BundleFile, GivesBackWhatWasWritten) {
  write();
  EXPECT_EQ(size_, static_cast<std::int64_t>(std::filesystem::file_size(file_)));
  const BundleReader reader = open();
  EXPECT_EQ(reader.info().nvrtc_version, "13.0");
  EXPECT_EQ(reader.info().headers_hash, "headers");
  EXPECT_EQ(reader.info().made_unix_s, 1234);

  const auto found = reader.find_template("dot");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->template_hash, "hash-1");
  EXPECT_EQ(found->manifest, "[kernel]");
  EXPECT_EQ(found->source_name, "dot.cu");
  EXPECT_EQ(found->source, "// code");
  EXPECT_EQ(found->headers, (std::map<std::string, std::string>{{"a.cuh", "x"}}));
  EXPECT_FALSE(reader.find_template("dott"));

  BundledKernelKey key{"hash-1", "dot<float, 256>", "sm_90", "#define X 1\n"};
  const auto machine = reader.find_kernel(key);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->image, bytes_of("machine code"));
  EXPECT_EQ(machine->image_hash, hash_hex("machine code"));
  EXPECT_EQ(machine->lowered_name, "_Z3dot");
  EXPECT_EQ(machine->registers, 40);
  EXPECT_EQ(machine->local_bytes, 8);
  EXPECT_EQ(machine->static_shared_bytes, 1024);
  EXPECT_EQ(machine->max_threads_per_block, 256);
  key.architecture.clear();
  const auto ptx = reader.find_kernel(key);
  ASSERT_TRUE(ptx);
  EXPECT_EQ(ptx->key.architecture, "compute_75");
  EXPECT_EQ(ptx->image, bytes_of("PTX"));
  key.architecture = "sm_80";
  EXPECT_FALSE(reader.find_kernel(key));
  key = {"hash-1", "dot<float, 256>", "sm_90", ""};
  EXPECT_FALSE(reader.find_kernel(key)) << "another prelude is other code";

  const std::vector<CoverRow> cover = reader.cover("dot", sample_device());
  ASSERT_EQ(cover.size(), 1u);
  EXPECT_EQ(cover[0].problem, sample_problem());
  EXPECT_EQ(cover[0].alignment_bytes, 16);
  EXPECT_EQ(cover[0].config, sample_config(128));
  EXPECT_EQ(cover[0].loss, 0.0125);
}

TEST_F(BundleFile, IsAnOrdinaryDatabaseWithoutWhatOnlyTuningNeeds) {
  write();
  const Store store = Store::open(file_, OpenMode::read_only);
  EXPECT_TRUE(store.is_bundle());
  EXPECT_EQ(store.winners().size(), 1u);
  EXPECT_EQ(store.winners().front().winner.config, sample_winner().config);
  EXPECT_EQ(store.outcome_total(), 0);
  EXPECT_EQ(store.neighbour_times(1), sample_neighbours()) << "the runtime expects losses by them";
  store.visit_runs({}, RunParts::head, [](const StoredRun& run) { EXPECT_EQ(run.info.command, ""); });
  make_sample(folder_ / "plain.db");
  EXPECT_FALSE(Store::open(folder_ / "plain.db", OpenMode::read_only).is_bundle());
}

TEST_F(BundleFile, NobodyMayWriteItAndNothingLiesBesideIt) {
  write();
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0444u);
  for (const OpenMode mode : {OpenMode::create, OpenMode::read_write}) {
    try {
      Store::open(file_, mode);
      FAIL() << "a bundle was opened for writing";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("bundle"), std::string::npos);
    }
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  const std::string failure = run_unprivileged([&] {
    const BundleReader reader = open();
    require(reader.find_template("dot").has_value(), "no template");
    require(reader.store().winners().size() == 1, "no winner");
  });
  EXPECT_EQ(failure, "");
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"app.wtb"});
}

TEST_F(BundleFile, ReplacesBundlesAndNothingElse) {
  write();
  const std::string before = content(file_);
  {
    BundleWriter writer(file_);
    EXPECT_EQ(content(file_), before) << "replaced before it was whole";
    writer.publish({"0.1.0", "13.1", "headers", 1});
  }
  EXPECT_EQ(open().info().nvrtc_version, "13.1");

  make_sample(folder_ / "plain.db");
  std::ofstream(folder_ / "notes.txt") << "not a database";
  std::filesystem::create_directory(folder_ / "folder");
  for (const char* name : {"plain.db", "notes.txt", "folder"}) {
    const std::string kept = content(folder_ / name);
    try {
      const BundleWriter writer(folder_ / name);
      FAIL() << name << " would be replaced";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input) << name;
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
    EXPECT_EQ(content(folder_ / name), kept);
  }
}

TEST_F(BundleFile, WhereItCannotBeWrittenIsSaidFirst) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  const std::string failure = run_unprivileged([&] { const BundleWriter writer(file_); });
  EXPECT_NE(failure.find("no permission"), std::string::npos) << failure;
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_NO_THROW(BundleWriter(folder_ / "not/yet/app.wtb"));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(BundleFile, OpensFromMemoryWithoutACopy) {
  write();
  const std::string image = content(file_);
  const std::string before = image;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(image.data()), image.size());
  const BundleReader reader(Store::open_memory(bytes, "embedded"));
  EXPECT_EQ(reader.store().winners().size(), 1u);
  EXPECT_TRUE(reader.find_template("dot"));
  EXPECT_TRUE(reader.store().integrity_ok());
  EXPECT_EQ(image, before);
}

TEST_F(BundleFile, MemoryThatIsNoBundleIsRefusedInOneLine) {
  write();
  const std::string image = content(file_);
  const auto refused = [&](const std::string& text) {
    try {
      const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
      const BundleReader reader(Store::open_memory(bytes, "embedded"));
      const bool sound = reader.store().integrity_ok();
      return sound ? std::string("sound") : std::string("damaged");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::database);
      EXPECT_NE(std::string(error.what()).find("embedded"), std::string::npos) << error.what();
      EXPECT_EQ(error.full_text().find('\n'), std::string::npos);
      return std::string("refused");
    }
  };
  EXPECT_EQ(refused(image), "sound");
  EXPECT_EQ(refused(""), "refused");
  EXPECT_EQ(refused("hello"), "refused");
  EXPECT_EQ(refused(std::string(8192, 'x')), "refused");
  EXPECT_NE(refused(image.substr(0, image.size() / 2)), "sound");
}

TEST_F(BundleFile, ALaterFormatIsRefusedAndSaysSo) {
  write();
  ASSERT_EQ(::chmod(file_.c_str(), 0644), 0);
  sqlite::Connection(file_, sqlite::Access::read_write).execute("UPDATE bundle SET format = 2");
  try {
    open();
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("later"), std::string::npos) << error.what();
  }
  sqlite::Connection(file_, sqlite::Access::read_write).execute("DELETE FROM bundle");
  EXPECT_THROW(open(), Error);
}

}  // namespace
}  // namespace warptune::db::test
