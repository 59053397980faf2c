// A program that ships: dot from a bundle, without NVRTC, toolkit or template files.
//
//   bundled_dot BUNDLE [memory]        memory: reads the file and opens it from there, as if the executable held it
//
// Exit codes: 0 right, 1 wrong result, failure, or NVRTC was loaded after all; 2 wrong usage, 77 no usable GPU.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/runtime/runtime.hpp>

namespace {

namespace wt = warptune::runtime;

// Small whole numbers as half: their products' sum, n / 2, is exact in float.
wt::DeviceBuffer upload(wt::Device& device, std::int64_t n, std::int64_t period) {
  constexpr std::uint16_t halves[] = {0x0000, 0x3c00, 0x4000};  // 0, 1, 2
  std::vector<std::uint16_t> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = halves[i % static_cast<std::size_t>(period)];
  wt::DeviceBuffer buffer(device, values.size() * sizeof(values[0]));
  device.copy_to_device(buffer.get(), values.data(), buffer.bytes());
  return buffer;
}

// Whether any library of that name is in this process.
bool has_loaded(std::string_view library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

int run(const std::string& file, bool from_memory) {
  constexpr std::int64_t n = std::int64_t{3} << 22;  // a multiple of both periods
  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(0);
  const wt::DeviceBuffer a = upload(*device, n, 3), b = upload(*device, n, 2);
  const wt::DeviceBuffer y(*device, sizeof(float));

  std::vector<char> bytes;  // outlives the runtime
  if (from_memory) {
    std::ifstream stream(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  wt::Runtime runtime = from_memory ? wt::Runtime::open_bundle(std::as_bytes(std::span(bytes)), {}, device)
                                    : wt::Runtime::open(file, {}, device);
  const wt::Match match =
      wt::dot(runtime, reinterpret_cast<const __half*>(a.get()), reinterpret_cast<const __half*>(b.get()),
              reinterpret_cast<float*>(y.get()), n);
  device->synchronize(wt::legacy_stream);
  float result = 0;
  device->copy_to_host(&result, y.get(), sizeof(result));

  const std::int64_t dims[] = {n};
  const wt::Selection selection = runtime.kernel("dot", {{"T", "half"}}).select(dims);
  std::printf("%s: %s\n%s\nresult %.9g, right is %lld\n", wt::to_string(match), selection.config.c_str(),
              selection.reason.c_str(), double{result}, static_cast<long long>(n / 2));
  if (has_loaded("libnvrtc")) {
    std::fprintf(stderr, "bundled_dot: NVRTC was loaded\n");
    return 1;
  }
  return result == static_cast<float>(n / 2) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool from_memory = argc == 3 && std::string_view(argv[2]) == "memory";
  if (argc != 2 && !from_memory) {
    std::fprintf(stderr, "usage: bundled_dot BUNDLE [memory]\n");
    return 2;
  }
  try {
    return run(argv[1], from_memory);
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "bundled_dot: %s\n", error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device && wt::cuda_device_count() == 0 ? 77 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bundled_dot: %s\n", error.what());
    return 1;
  }
}
