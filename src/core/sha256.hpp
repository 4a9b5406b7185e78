#pragma once
// SHA-256 (FIPS 180-4), for content hashes. Here and not from a library, since core is free of them. It is
// not written to keep secrets: what must resist timing goes through OpenSSL.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

using Sha256Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  void update(std::string_view bytes);
  // Ends the message; nothing may follow.
  [[nodiscard]] Sha256Digest finish();

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};  // the part of a block that waits for the rest
  std::size_t pending_size_ = 0;
  std::uint64_t size_ = 0;
};

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);
// 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace pawl::core
