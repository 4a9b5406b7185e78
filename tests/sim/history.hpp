#pragma once
// The history of a run, as a hash (two runs of a seed must be equal) and, for one watched task, as readable
// lines. Other runs keep no lines: to see them, the seed is run again.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"

namespace pawl::sim {

class History {
 public:
  explicit History(std::optional<core::TaskId> watched) : watched_(watched) {}

  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x100000001b3ULL;
    hash_ ^= hash_ >> 29U;
  }
  void mix(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  void mix(const core::TaskId& id) {
    for (const std::uint8_t byte : id.bytes) hash_ = (hash_ ^ byte) * 0x100000001b3ULL;
  }

  [[nodiscard]] bool watches(const core::TaskId& id) const { return watched_ == id; }
  // For the watched task only: call `watches` before composing a line.
  void line(core::Duration time, std::string text) { lines_.push_back({time, std::move(text)}); }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  // The lines, or the first and the last of them if there are many.
  [[nodiscard]] std::string excerpt() const;

 private:
  struct Line {
    core::Duration time;
    std::string text;
  };

  std::optional<core::TaskId> watched_;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::vector<Line> lines_;
};

}  // namespace pawl::sim
