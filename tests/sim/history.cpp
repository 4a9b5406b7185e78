#include "tests/sim/history.hpp"

#include <fmt/format.h>

namespace pawl::sim {

std::string History::excerpt() const {
  constexpr std::size_t kHead = 10;
  constexpr std::size_t kTail = 50;
  std::string text;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_.size() > kHead + kTail && i == kHead) {
      text += fmt::format("  … {} lines …\n", lines_.size() - kHead - kTail);
      i = lines_.size() - kTail;
    }
    text +=
        fmt::format("  {:>14.6f}s  {}\n", static_cast<double>(lines_[i].time.count()) / 1e6, lines_[i].text);
  }
  return text;
}

}  // namespace pawl::sim
