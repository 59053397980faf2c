// What a launch through the runtime costs on top of cuLaunchKernel: batches of both take turns, in one run.
//
//   dispatch_bench [--device stub|cuda:N] [--threads N] [--rounds N]       one JSON object
//   dispatch_bench --count raw|warptune CALLS                              so many calls on the stub, for callgrind
//
// Figures are medians over the rounds; the difference is that of the pairs. context_query_ns: what it takes to ask the driver which
// context is current, which typed calls do once and launches of a kernel never; 0 on the stub. A batch is 200 calls, fewer than a stream queues; the
// stream is drained between batches. docs/runtime.md has what was measured.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <warptune/runtime/contexts.hpp>

#include "bench/dispatch/kernel_under_test.hpp"

namespace {

namespace wt = warptune::runtime;
using bench::KernelUnderTest;
using Clock = std::chrono::steady_clock;

constexpr int batch = 200;

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

template <typename Launch>
double batch_ns_per_call(Launch launch) {
  const auto start = Clock::now();
  for (int call = 0; call < batch; ++call) launch();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / batch;
}

struct Samples {
  std::vector<double> raw_ns, warptune_ns, more_ns;  // per call, by round
};

// Rounds of one thread; all threads are in the same half of a round at a time.
Samples run_rounds(KernelUnderTest& test, int rounds, std::barrier<>& together) {
  wt::Device& device = test.device();
  device.make_current();
  const wt::DeviceBuffer x(device, KernelUnderTest::n * sizeof(float)),
      y(device, KernelUnderTest::n * sizeof(float));
  KernelUnderTest::Call call{x.get(), y.get(), KernelUnderTest::n, device.create_stream()};
  const auto raw = [&] { return batch_ns_per_call([&] { test.launch_raw(call); }); };
  const auto ours = [&] { return batch_ns_per_call([&] { test.launch(call); }); };
  const auto timed = [&](const auto& half) {
    device.synchronize(call.stream);
    together.arrive_and_wait();
    return half();
  };
  timed(raw), timed(ours);  // the first launch of a thread, and warm caches
  Samples samples;
  for (int round = 0; round < rounds; ++round) {
    const bool raw_first = round % 2 == 0;
    double raw_ns = 0, ours_ns = 0;
    if (raw_first) raw_ns = timed(raw);
    ours_ns = timed(ours);
    if (!raw_first) raw_ns = timed(raw);
    samples.raw_ns.push_back(raw_ns);
    samples.warptune_ns.push_back(ours_ns);
    samples.more_ns.push_back(ours_ns - raw_ns);
  }
  device.synchronize(call.stream);
  device.destroy_stream(call.stream);
  return samples;
}

double context_query_ns(KernelUnderTest& test, int rounds) {
  const auto contexts = wt::cuda_contexts();
  test.device().make_current();
  wt::ContextId seen = wt::no_context;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round)
    times.push_back(batch_ns_per_call([&] { seen = contexts->current(); }));
  if (seen == wt::no_context) throw warptune::Error(warptune::ErrorKind::internal, "no context is current");
  return percentile(times, 0.5);
}

int measure(const std::string& device, int threads, int rounds) {
  KernelUnderTest test(device);
  std::barrier together(threads);
  std::vector<Samples> of_threads(static_cast<std::size_t>(threads));
  std::vector<std::thread> running;
  for (Samples& samples : of_threads)
    running.emplace_back([&] { samples = run_rounds(test, rounds, together); });
  for (std::thread& thread : running) thread.join();
  Samples all;
  for (const Samples& each : of_threads) {
    all.raw_ns.insert(all.raw_ns.end(), each.raw_ns.begin(), each.raw_ns.end());
    all.warptune_ns.insert(all.warptune_ns.end(), each.warptune_ns.begin(), each.warptune_ns.end());
    all.more_ns.insert(all.more_ns.end(), each.more_ns.begin(), each.more_ns.end());
  }
  const double raw_ns = percentile(all.raw_ns, 0.5), ours_ns = percentile(all.warptune_ns, 0.5);
  std::printf(
      "{\"device\":\"%s\",\"model\":\"%s\",\"threads\":%d,\"cores\":%u,\"rounds\":%d,\"calls_per_batch\":%d,"
      "\"raw_ns\":%.2f,\"warptune_ns\":%.2f,\"more_ns\":%.2f,\"more_ns_p05\":%.2f,\"more_ns_p95\":%.2f,"
      "\"more_of_raw\":%.4f,\"rate_of_raw\":%.4f,\"context_query_ns\":%.2f}\n",
      device.c_str(), test.device().info().traits.model.c_str(), threads, std::thread::hardware_concurrency(),
      rounds, batch, raw_ns, ours_ns, percentile(all.more_ns, 0.5), percentile(all.more_ns, 0.05),
      percentile(all.more_ns, 0.95), percentile(all.more_ns, 0.5) / raw_ns, raw_ns / ours_ns,
      device == "stub" ? 0.0 : context_query_ns(test, rounds));
  return 0;
}

int count(const std::string& which, long calls) {
  KernelUnderTest test("stub");
  KernelUnderTest::Call call{4096, 8192, KernelUnderTest::n, wt::legacy_stream};
  if (which == "raw") {
    for (long i = 0; i < calls; ++i) test.launch_raw(call);
  } else {
    for (long i = 0; i < calls; ++i) test.launch(call);
  }
  return 0;
}

int usage() {
  std::fprintf(stderr,
               "usage: dispatch_bench [--device stub|cuda:N] [--threads N] [--rounds N]\n"
               "       dispatch_bench --count raw|warptune CALLS\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string device = "stub";
  int threads = 1, rounds = 500;
  try {
    if (argc == 4 && std::strcmp(argv[1], "--count") == 0 &&
        (std::strcmp(argv[2], "raw") == 0 || std::strcmp(argv[2], "warptune") == 0))
      return count(argv[2], std::atol(argv[3]));
    if (argc % 2 == 0) return usage();
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string option = argv[i];
      if (option == "--device")
        device = argv[i + 1];
      else if (option == "--threads")
        threads = std::atoi(argv[i + 1]);
      else if (option == "--rounds")
        rounds = std::atoi(argv[i + 1]);
      else
        return usage();
    }
    if (threads < 1 || rounds < 1 || (device != "stub" && device.rfind("cuda:", 0) != 0)) return usage();
    return measure(device, threads, rounds);
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "dispatch_bench: %s\n", error.full_text().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dispatch_bench: %s\n", error.what());
  }
  return 1;
}
