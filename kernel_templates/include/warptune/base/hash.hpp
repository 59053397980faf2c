// The one content hash of warptune (XXH3, 128 bits): template hashes, binary cache keys, integrity of stored
// binaries. Not cryptographic. Hasher is not thread-safe; the free function is.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace warptune {

// Feeds length-prefixed fields, so that {"ab","c"} and {"a","bc"} differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& field(std::string_view bytes);
  // 32 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hash of one byte string, without length prefix.
std::string hash_hex(std::string_view bytes);

}  // namespace warptune
