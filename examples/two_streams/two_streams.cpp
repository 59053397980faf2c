// One kernel on two streams at once, from one thread and from two: each stream of a thread has a workspace of its own.
//
//   two_streams [DATABASE]        default: tuning.db
//
// Exit codes: 0 right, 1 wrong result or failure, 77 no usable GPU.
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "common/small_vectors.hpp"

namespace {

namespace wt = warptune::runtime;

constexpr std::int64_t n = 1'000'003;
constexpr int calls = 20;

int run(const std::string& database) {
  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(0);
  wt::Runtime runtime = wt::Runtime::open(database, {}, device);
  const wt::Kernel kernel = runtime.kernel("dot", {{"T", "float"}});
  const std::int64_t dims[] = {n};
  example::SmallVectors first(*device, n), second(*device, n);
  const wt::StreamHandle streams[] = {device->create_stream(), device->create_stream()};

  for (int call = 0; call < calls; ++call) {
    kernel.launch(streams[0], dims, first.pointers());
    kernel.launch(streams[1], dims, second.pointers());
  }
  bool right = first.check("one thread, first stream", streams[0]);
  right = second.check("one thread, second stream", streams[1]) && right;

  std::atomic<int> failures = 0;
  const auto work = [&](wt::StreamHandle stream, const example::SmallVectors& vectors) {
    try {
      device->make_current();  // the runtime uses whatever context is current
      for (int call = 0; call < calls; ++call) kernel.launch(stream, dims, vectors.pointers());
    } catch (const warptune::Error& error) {
      std::fprintf(stderr, "two_streams: %s\n", error.full_text().c_str());
      ++failures;
    }
  };
  std::thread other([&] { work(streams[1], second); });
  work(streams[0], first);
  other.join();
  right = first.check("two threads, first stream", streams[0]) && right;
  right = second.check("two threads, second stream", streams[1]) && right;
  for (const wt::StreamHandle stream : streams) device->destroy_stream(stream);
  return right && failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return example::guarded("two_streams", [&] { return run(argc > 1 ? argv[1] : "tuning.db"); });
}
