#pragma once
// Shared by the fuzz targets.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace pawl::fuzz {

inline void demand(bool is_so, std::string_view what) {
  if (is_so) return;
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// The first line, and the rest.
inline std::pair<std::string_view, std::string_view> halves(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  return {bytes.substr(0, end), end == bytes.size() ? std::string_view{} : bytes.substr(end + 1)};
}

// The first byte selects one of `kinds`; the rest is its input.
inline std::pair<std::size_t, std::string_view> kind_and_rest(std::string_view bytes, std::size_t kinds) {
  if (bytes.empty()) return {0, bytes};
  return {static_cast<unsigned char>(bytes.front()) % kinds, bytes.substr(1)};
}

}  // namespace pawl::fuzz
