#include <warptune/base/hash.hpp>

#define XXH_INLINE_ALL
// g++ refuses the library's forced inlining in unoptimised and sanitized builds.
#define XXH_NO_INLINE_HINTS 1
#include <xxhash.h>

#include <cstdint>

namespace warptune {
namespace {

std::string to_hex(XXH128_hash_t hash) {
  static constexpr char digits[] = "0123456789abcdef";
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  std::string text;
  text.reserve(32);
  for (unsigned char byte : bytes.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;

Hasher& Hasher::field(std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  XXH3_128bits_update(&state_->xxh, &size, sizeof size);
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

std::string Hasher::hex() const { return to_hex(XXH3_128bits_digest(&state_->xxh)); }

std::string hash_hex(std::string_view bytes) { return to_hex(XXH3_128bits(bytes.data(), bytes.size())); }

}  // namespace warptune
