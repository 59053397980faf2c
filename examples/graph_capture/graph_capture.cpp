// Two CUDA graphs captured on one stream, replayed at the same time on two others: each capture has memory of its own.
//
//   graph_capture [DATABASE]        default: tuning.db
//
// Exit codes: 0 right, 1 wrong result or failure, 77 no usable GPU.
#include <memory>
#include <string>

#include <warptune/runtime/capture_scope.hpp>

#include "common/small_vectors.hpp"

namespace {

namespace wt = warptune::runtime;

struct Captured {
  wt::CaptureScope scope;  // lives as long as the graph
  std::unique_ptr<wt::Graph> graph;
};

Captured capture(wt::Device& device, const wt::Runtime& runtime, const wt::Kernel& kernel,
                 wt::StreamHandle stream, std::int64_t n, const example::SmallVectors& vectors) {
  const std::int64_t dims[] = {n};
  wt::CaptureScope scope(runtime, stream);
  scope.prepare(kernel, dims);  // compiles and allocates what the capture will need
  device.begin_capture(stream);
  kernel.launch(stream, dims, vectors.pointers());
  std::unique_ptr<wt::Graph> graph = device.end_capture(stream);
  scope.end();
  return {std::move(scope), std::move(graph)};
}

int run(const std::string& database) {
  constexpr std::int64_t n = 1'000'003;
  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(0);
  wt::Runtime runtime = wt::Runtime::open(database, {}, device);
  const wt::Kernel kernel = runtime.kernel("dot", {{"T", "float"}});
  example::SmallVectors first(*device, n), second(*device, n);

  const wt::StreamHandle stream = device->create_stream();
  const wt::StreamHandle replays[] = {device->create_stream(), device->create_stream()};
  bool right = true;
  {
    const Captured one = capture(*device, runtime, kernel, stream, n, first);
    const Captured two = capture(*device, runtime, kernel, stream, n, second);
    for (int round = 0; round < 3; ++round) {
      one.graph->launch(replays[0]);
      two.graph->launch(replays[1]);
      right = first.check("first graph", replays[0]) && right;
      right = second.check("second graph", replays[1]) && right;
    }
  }
  for (const wt::StreamHandle each : {stream, replays[0], replays[1]}) device->destroy_stream(each);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return example::guarded("graph_capture", [&] { return run(argc > 1 ? argv[1] : "tuning.db"); });
}
