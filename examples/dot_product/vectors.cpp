#include "vectors.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace {

// IEEE 754 binary16, rounded to nearest even.
std::uint16_t to_half(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  bits &= 0x7fffffffU;
  if (bits > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);   // NaN
  if (bits >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // rounds to beyond 65504
  if (bits < 0x38800000U) {  // subnormal: a multiple of 2^-24
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::lrint(std::bit_cast<float>(bits) * 0x1p24F)));
  }
  bits += 0x0fffU + ((bits >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((bits - 0x38000000U) >> 13));
}

float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                  : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  if (exponent == 31) magnitude = mantissa == 0 ? INFINITY : NAN;
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// The upper half of a float, rounded to nearest even.
std::uint16_t to_bf16(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

}  // namespace

Element parse_element(std::string_view word) {
  if (word == "float") return Element::f32;
  if (word == "half") return Element::f16;
  if (word == "bf16") return Element::bf16;
  throw std::invalid_argument("unknown type '" + std::string(word) + "'; use float, half or bf16");
}

std::size_t size_bytes(Element element) { return element == Element::f32 ? 4 : 2; }

std::vector<float> read_vector(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + ": cannot be opened");
  std::vector<float> values;
  if (file.extension() == ".txt") {
    for (float value = 0; in >> value;) values.push_back(value);
    if (!in.eof())
      throw std::runtime_error(file.string() + ": value " + std::to_string(values.size() + 1) +
                               " is no number");
    return values;
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file);
  if (bytes % sizeof(float) != 0)
    throw std::runtime_error(file.string() + ": its size is not a multiple of 4 bytes");
  values.resize(static_cast<std::size_t>(bytes / sizeof(float)));
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  if (!in) throw std::runtime_error(file.string() + ": cannot be read");
  return values;
}

std::vector<float> generate_vector(std::int64_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = uniform(random);
  return values;
}

Stored store_as(Element element, const std::vector<float>& values) {
  Stored stored;
  stored.values = values;
  stored.bytes.resize(values.size() * size_bytes(element));
  if (element == Element::f32) {
    if (!values.empty()) std::memcpy(stored.bytes.data(), values.data(), stored.bytes.size());
    return stored;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = element == Element::f16 ? to_half(values[i]) : to_bf16(values[i]);
    std::memcpy(stored.bytes.data() + 2 * i, &bits, 2);
    stored.values[i] = element == Element::f16 ? from_half(bits) : from_bf16(bits);
  }
  return stored;
}
