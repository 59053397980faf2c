// Vectors for the dot product: read from files or generated, rounded to the element type that the GPU gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

enum class Element { f32, f16, bf16 };

// "float", "half" or "bf16"; throws std::invalid_argument on any other word.
Element parse_element(std::string_view word);
std::size_t size_bytes(Element element);

// `file`: numbers as text, separated by white space, if its name ends in .txt; else raw 32-bit floats of this
// machine's byte order. Throws std::runtime_error naming the file.
std::vector<float> read_vector(const std::filesystem::path& file);
// n values uniform in [-1, 1), the same for the same seed.
std::vector<float> generate_vector(std::int64_t n, std::uint32_t seed);

// A vector as the GPU sees it, and the very same values for the host.
struct Stored {
  std::vector<std::byte> bytes;
  std::vector<float> values;  // after rounding to nearest even
};
Stored store_as(Element element, const std::vector<float>& values);
