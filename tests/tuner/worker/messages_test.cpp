// Messages come out as they went in, and damaged ones are refused.
#include "tuner/worker/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/mini_template.hpp"

namespace warptune::tuner {
namespace {

Message sent(const Message& message) { return read_message(to_payload(message)); }

TEST(Messages, DeviceInfo) {
  runtime::DeviceInfo device{testing::stub_traits(), 13000, "580.159.04", "cuda:3", "0000:1b:00"};
  const runtime::DeviceInfo got = read_device_info(sent(to_message(device)));
  EXPECT_EQ(got.traits.model, device.traits.model);
  for (const std::string& name : spec::device_limit_names())
    EXPECT_EQ(got.traits.limit(name), device.traits.limit(name)) << name;
  EXPECT_EQ(got.driver_version, 13000);
  EXPECT_EQ(got.driver_name, "580.159.04");
  EXPECT_EQ(got.label, "cuda:3");
  EXPECT_EQ(got.bus_id, "0000:1b:00");
}

TEST(Messages, OpenRequestRebuildsTheTemplate) {
  OpenRequest request;
  request.spec = test::mini_template();
  request.problem = test::mini_problem("__half", 12345);
  request.problem.allowed.approx = true;
  request.policy = "hot";
  request.seed = 99;
  request.cache_folder = "somewhere";
  request.best_ns = 1234.5;
  request.early_stop = false;
  const OpenRequest got = read_open_request(sent(to_message(request)));
  EXPECT_EQ(got.spec->hash, request.spec->hash);
  EXPECT_EQ(got.spec->source_path, request.spec->source_path);
  EXPECT_EQ(got.problem, request.problem);
  EXPECT_EQ(got.policy, "hot");
  EXPECT_EQ(got.seed, 99u);
  EXPECT_EQ(got.cache_folder, "somewhere");
  EXPECT_EQ(got.best_ns, 1234.5);
  EXPECT_FALSE(got.early_stop);
  EXPECT_FALSE(got.ceilings);
}

// Shipped templates come from files inside the program, and have headers of their own.
TEST(Messages, OpenRequestCarriesShippedTemplates) {
  for (const std::string& name : spec::template_names()) {
    OpenRequest request;
    request.spec = spec::find_template(name);
    const OpenRequest got = read_open_request(sent(to_message(request)));
    EXPECT_EQ(got.spec->hash, request.spec->hash) << name;
    EXPECT_EQ(got.spec->headers, request.spec->headers) << name;
    EXPECT_EQ(got.spec->source, request.spec->source) << name;
  }
}

TEST(Messages, ConfigsOfEveryKindOfValue) {
  const spec::Config config{
      {spec::Value::integer(-5), spec::Value::boolean(true), spec::Value::word("two_pass")}};
  EXPECT_EQ(read_config_message(sent(config_message(MessageKind::evaluate, config))), config);
  const std::vector<spec::Config> configs = {config, {}, config};
  EXPECT_EQ(read_configs_message(sent(configs_message(configs))), configs);
}

TEST(Messages, OperandsOfAnyBytes) {
  const std::string bytes("\0\xff\n\0", 4);
  const Message message = sent(to_message(OperandPart{"ids", bytes}));
  EXPECT_EQ(read_operand_part(message).buffer, "ids");
  EXPECT_EQ(read_operand_part(message).bytes, bytes);
}

TEST(Messages, Outcomes) {
  Evaluated evaluated;
  evaluated.outcome.status = OutcomeStatus::wrong_result;
  evaluated.outcome.reason = "[5] is 1 instead of 2";
  evaluated.outcome.blocks_ns = {1000.25, 999.5};
  evaluated.outcome.max_error = 0.5;
  evaluated.outcome.verified_ragged = true;
  evaluated.outcome.traits = {40, 8, 1024, 512};
  evaluated.outcome.alignment_bytes = 16;
  evaluated.spent = {1.5, {{"verify", 0.5}, {"measure", 1}}};
  const Evaluated got = read_evaluated(sent(to_message(evaluated)));
  EXPECT_EQ(got.outcome.status, OutcomeStatus::wrong_result);
  EXPECT_EQ(got.outcome.reason, evaluated.outcome.reason);
  EXPECT_EQ(got.outcome.blocks_ns, evaluated.outcome.blocks_ns);
  EXPECT_EQ(got.outcome.max_error, 0.5);
  EXPECT_TRUE(got.outcome.verified_ragged);
  EXPECT_EQ(got.outcome.traits.registers, 40);
  EXPECT_EQ(got.outcome.traits.local_bytes, 8);
  EXPECT_EQ(got.outcome.traits.static_shared_bytes, 1024);
  EXPECT_EQ(got.outcome.traits.max_threads_per_block, 512);
  EXPECT_EQ(got.outcome.alignment_bytes, 16);
  EXPECT_EQ(got.spent.gpu_s, 1.5);
  EXPECT_EQ(got.spent.phase_s, evaluated.spent.phase_s);
}

TEST(Messages, Conditions) {
  Conditions seen;
  EXPECT_EQ(read_conditions(sent(to_message(seen))), seen);
  seen.clock = Conditions::Clock{1500, 1965, 1980};
  seen.longest_stall_ns = 2.5e6;
  seen.slowdown_reasons = 0x44;
  seen.temperature_c = 71;
  EXPECT_EQ(read_conditions(sent(to_message(seen))), seen);
  seen.clock->lowest_mhz = 0;
  EXPECT_THROW(read_conditions(sent(to_message(seen))), Error);
}

TEST(Messages, TimesThatCannotBeAreRefused) {
  for (const double time :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(read_timed_block(sent(to_message(TimedBlock{time, {}}))), Error) << time;
  EXPECT_EQ(read_timed_block(sent(to_message(TimedBlock{7.5, {}}))).time_ns, 7.5);
  Evaluated good_without_time;
  EXPECT_THROW(read_evaluated(sent(to_message(good_without_time))), Error);
}

TEST(Messages, CompileRequests) {
  const runtime::CompileRequest request{"source", "a.cu", {"a<1>", "a<2>"}, {"-O3"}, {{"b.cuh", "int b;"}},
                                        "sm_90"};
  const runtime::CompileRequest got = read_compile_request(sent(to_message(request)));
  EXPECT_EQ(got.source, request.source);
  EXPECT_EQ(got.program_name, request.program_name);
  EXPECT_EQ(got.entries, request.entries);
  EXPECT_EQ(got.options, request.options);
  EXPECT_EQ(got.headers, request.headers);
  EXPECT_EQ(got.architecture, request.architecture);
}

TEST(Messages, CompileResultsShareTheirImage) {
  const auto image = std::make_shared<const std::vector<std::byte>>(100, std::byte{7});
  std::vector<runtime::CompileResult> results(3);
  for (std::size_t i = 0; i < 2; ++i) {
    results[i].entry = "k" + std::to_string(i);
    results[i].log = "a warning";
    results[i].kernel = std::make_shared<const runtime::CompiledKernel>(runtime::CompiledKernel{
        results[i].entry, "_Z" + results[i].entry, image, {10 + static_cast<int>(i), 1, 2, 3}});
  }
  results[2].entry = "broken";
  results[2].error = "no";
  results[2].source_fails = true;
  results[2].fault = runtime::CompileFault::crashed;
  const Message message = to_message(results);
  EXPECT_LT(message.body.size(), 100 * 2 + 400) << "the image travels once";
  const std::vector<runtime::CompileResult> got = read_compile_results(sent(message));
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].kernel->image, got[1].kernel->image);
  EXPECT_EQ(*got[0].kernel->image, *image);
  EXPECT_EQ(got[1].kernel->lowered_name, "_Zk1");
  EXPECT_EQ(got[1].kernel->traits.registers, 11);
  EXPECT_EQ(got[1].log, "a warning");
  EXPECT_EQ(got[2].kernel, nullptr);
  EXPECT_EQ(got[2].error, "no");
  EXPECT_TRUE(got[2].source_fails);
  EXPECT_EQ(got[2].fault, runtime::CompileFault::crashed);
}

TEST(Messages, Errors) {
  const Error got = read_error(sent(to_message(Error(ErrorKind::cuda, "lost", "start again", 700))));
  EXPECT_EQ(got.kind(), ErrorKind::cuda);
  EXPECT_STREQ(got.what(), "lost");
  EXPECT_EQ(got.hint(), "start again");
  EXPECT_EQ(got.native_code(), 700);
  EXPECT_EQ(read_error(sent(to_message(Error(ErrorKind::internal, "x")))).native_code(), std::nullopt);
}

// Cut anywhere, a message is refused; so is one with something after its end, and one of another kind.
TEST(Messages, DamagedOnesAreRefused) {
  const Message message = to_message(TimedBlock{5, {1, {{"measure", 2}}}});
  for (std::size_t size = 0; size < message.body.size(); ++size)
    EXPECT_THROW(read_timed_block({message.kind, message.body.substr(0, size)}), Error) << size;
  EXPECT_THROW(read_timed_block({message.kind, message.body + "x"}), Error);
  EXPECT_THROW(read_timed_block({MessageKind::outcome, message.body}), Error);
  EXPECT_THROW(read_message("ab"), Error);
  EXPECT_THROW(read_message(std::string("\xff\0\0\0", 4)), Error);
}

}  // namespace
}  // namespace warptune::tuner
