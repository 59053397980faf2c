// A dot product through the warptune runtime, checked against double on the host.
//
//   dot_product [--type float|half|bf16] [--a FILE --b FILE | --n COUNT] [--db FILE] [--device ORDINAL]
//
// Exit codes: 0 right, 1 wrong result or failure, 2 wrong usage, 77 no usable GPU.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/runtime/runtime.hpp>

#include "vectors.hpp"

namespace {

namespace wt = warptune::runtime;

struct Options {
  Element element = Element::f32;
  std::string type = "float";
  std::string a, b;  // files; empty: generated
  std::int64_t n = std::int64_t{1} << 20;
  std::string database = "tuning.db";
  int device = 0;
};

template <typename Number>
Number parse_number(const std::string& text, const char* option) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
    throw std::invalid_argument(std::string(option) + " needs a whole number from 0, not '" + text + "'");
  }
  return number;
}

constexpr const char* usage =
    "usage: dot_product [--type float|half|bf16] [--a FILE --b FILE | --n COUNT] [--db FILE] [--device "
    "ORDINAL]\n"
    "\n"
    "A dot product through the warptune runtime, checked against double on the host. FILE: a number per "
    "line\n"
    "(.txt), or floats as they lie in memory (anything else).\n";

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--type") {
      options.element = parse_element(value);
      options.type = value;
    } else if (name == "--a") {
      options.a = value;
    } else if (name == "--b") {
      options.b = value;
    } else if (name == "--n") {
      options.n = parse_number<std::int64_t>(value, "--n");
    } else if (name == "--db") {
      options.database = value;
    } else if (name == "--device") {
      options.device = parse_number<int>(value, "--device");
    } else {
      throw std::invalid_argument("unknown option '" + name + "'");
    }
  }
  if (options.a.empty() != options.b.empty()) throw std::invalid_argument("--a and --b go together");
  return options;
}

// Device memory with the vector's bytes.
wt::DeviceBuffer upload(wt::Device& device, const Stored& vector) {
  wt::DeviceBuffer buffer(device, std::max<std::size_t>(vector.bytes.size(), 1));
  device.copy_to_device(buffer.get(), vector.bytes.data(), vector.bytes.size());
  return buffer;
}

template <typename T>
T* as(const wt::DeviceBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.get());
}

wt::Match launch_dot(wt::Runtime& runtime, Element element, const wt::DeviceBuffer& a,
                     const wt::DeviceBuffer& b, const wt::DeviceBuffer& y, std::int64_t n) {
  switch (element) {
    case Element::f16:
      return wt::dot(runtime, as<__half>(a), as<__half>(b), as<float>(y), n);
    case Element::bf16:
      return wt::dot(runtime, as<__nv_bfloat16>(a), as<__nv_bfloat16>(b), as<float>(y), n);
    case Element::f32:
      break;
  }
  return wt::dot(runtime, as<float>(a), as<float>(b), as<float>(y), n);
}

int run(const Options& options) {
  const Stored a =
      store_as(options.element, options.a.empty() ? generate_vector(options.n, 1) : read_vector(options.a));
  const Stored b =
      store_as(options.element, options.b.empty() ? generate_vector(options.n, 2) : read_vector(options.b));
  if (a.values.size() != b.values.size()) {
    throw std::runtime_error("the vectors differ in length: " + std::to_string(a.values.size()) + " and " +
                             std::to_string(b.values.size()));
  }
  const auto n = static_cast<std::int64_t>(a.values.size());

  // The application owns the context; the runtime borrows it.
  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(options.device);
  wt::Runtime runtime = wt::Runtime::open(options.database, {}, device);
  const wt::DeviceBuffer device_a = upload(*device, a);
  const wt::DeviceBuffer device_b = upload(*device, b);
  const wt::DeviceBuffer device_y(*device, sizeof(float));

  const wt::Match match = launch_dot(runtime, options.element, device_a, device_b, device_y, n);
  float result = 0;
  device->synchronize(wt::legacy_stream);
  device->copy_to_host(&result, device_y.get(), sizeof(result));

  double reference = 0;
  double scale = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double product = double{a.values[i]} * double{b.values[i]};
    reference += product;
    scale += std::abs(product);
  }
  const double error = std::abs(double{result} - reference);
  const double allowed = 1e-5 * scale;

  const std::array<std::int64_t, 1> dims{n};
  const wt::Selection selection = runtime.kernel("dot", {{"T", options.type}}).select(dims);
  std::printf("dot of %lld %s elements on %s\n", static_cast<long long>(n), options.type.c_str(),
              device->info().traits.model.c_str());
  std::printf("selected   %s: %s\n", wt::to_string(match), selection.config.c_str());
  std::printf("reason     %s\n", selection.reason.c_str());
  std::printf("result     %.9g\n", double{result});
  std::printf("reference  %.9g (double, on the host)\n", reference);
  std::printf("error      %.3g, allowed %.3g\n", error, allowed);
  if (!(error <= allowed)) {
    std::fprintf(stderr, "dot_product: the result is wrong\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    return run(parse_options(argc, argv));
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "dot_product: %s\n", error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device ? 77 : 1;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "dot_product: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dot_product: %s\n", error.what());
    return 1;
  }
}
