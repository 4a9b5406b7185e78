#include "bench/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace pawl::bench {

Progress::Progress(std::string what) : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(double fraction, const std::string& note) {
  if (!is_terminal_) return;
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kWidth);
  fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {}", what_, "", filled, "", kWidth - filled, note);
  std::fflush(stderr);
}

}  // namespace pawl::bench
