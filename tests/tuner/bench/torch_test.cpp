// The conversation with the PyTorch program, played by scripts; the program itself runs where PyTorch is.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include <warptune/base/error.hpp>
#include <warptune/spec/catalog.hpp>

#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/bench/library.hpp"

namespace warptune::tuner {
namespace {

// Stands for an evaluator: the library asks it for its problem and its feed only.
class Problem final : public DeviceEvaluator {
 public:
  Problem()
      : instance_(spec::find_template("dot"), {{{"T", "__half"}}, {{"n", 1024}}, {}, {}},
                  spec::DeviceTraits{}) {}
  double time_call_block(const std::string&, const Call&) override { return 0; }
  OperandFeed operand_feed() const override { return {1000, false, 4096, true, 2409.4}; }
  const spec::Instance& instance() const override { return instance_; }
  db::Origin origin() const override { return db::Origin::measured; }
  db::Toolchain toolchain() const override { return {}; }
  void prepare(std::span<const spec::Config>, const std::function<void(std::size_t, std::size_t)>&) override {
  }
  Outcome evaluate(const spec::Config&) override { return {}; }
  double time_block(const spec::Config&) override { return 0; }
  void retain_only(std::span<const spec::Config>) override {}
  std::map<std::string, double> phase_seconds() const override { return {}; }
  double gpu_seconds() const override { return 0; }
  std::optional<double> limit_bytes_per_s() const override { return std::nullopt; }
  const Ceilings& ceilings() const override { return ceilings_; }

 private:
  spec::Instance instance_;
  Ceilings ceilings_;
};

class TorchConversation : public ::testing::Test {
 protected:
  // An interpreter that plays `script` instead of the program it is given.
  LibraryOptions interpreter(const std::string& script) {
    const std::filesystem::path file = folder_ / "python";
    std::ofstream(file) << "#!/bin/sh\n" << script;
    ::chmod(file.c_str(), 0755);
    return {file.string()};
  }
  std::string failure(const std::string& script) {
    try {
      const auto torch = open_torch(interpreter(script));
      Problem problem;
      const auto block = torch->prepare(problem);
      if (block) (*block)();
    } catch (const Error& error) {
      return error.full_text();
    }
    return "none";
  }
  test::TemporaryFolder folder_;
};

TEST_F(TorchConversation, StatesTheProblemAndReadsTimes) {
  const auto torch =
      open_torch(interpreter("echo ok 9.8.7\nread line\necho \"$line\" > " + (folder_ / "asked").string() +
                             "\necho ok 9.8.7\nread line\necho 1234.5\n"));
  EXPECT_EQ(torch->version(), "9.8.7");
  Problem problem;
  const std::optional<Block> block = torch->prepare(problem);
  ASSERT_TRUE(block);
  EXPECT_EQ((*block)(), 1234.5);
  std::string asked;
  std::ifstream in(folder_ / "asked");
  std::getline(in, asked);
  EXPECT_EQ(asked,
            "problem kernel=dot sets=1000 revisit=0 scrub_bytes=4096 rehearsed=1 fixed_cost_ns=2409 T=__half "
            "n=1024");
}

TEST_F(TorchConversation, NoSuchCallIsNoBlock) {
  const auto torch = open_torch(interpreter("echo ok 1\nread line\necho none\n"));
  Problem problem;
  EXPECT_FALSE(torch->prepare(problem));
}

TEST_F(TorchConversation, FailuresAreNamed) {
  EXPECT_NE(failure("exit 1\n").find("it has no PyTorch"), std::string::npos);
  EXPECT_NE(failure("echo error PyTorch sees no GPU\n").find("PyTorch sees no GPU"), std::string::npos);
  EXPECT_NE(failure("echo ok 1\nread line\necho error out of memory\n").find("out of memory"),
            std::string::npos);
  EXPECT_NE(failure("echo ok 1\nread line\necho ok 1\nread line\necho nan\n").find("'nan'"),
            std::string::npos);
  EXPECT_NE(failure("echo ok 1\nread line\necho ok 1\nread line\necho -3\n").find("'-3'"), std::string::npos);
  EXPECT_NE(failure("echo ok 1\nread line\n").find("has ended"), std::string::npos);
}

}  // namespace
}  // namespace warptune::tuner
