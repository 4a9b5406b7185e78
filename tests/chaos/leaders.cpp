#include "tests/chaos/leaders.hpp"

#include <chrono>

#include <fmt/format.h>

#include "core/base/time.hpp"

namespace pawl::chaos {

void check_leaders(const std::vector<LeaderChange>& changes, Ledger& ledger) {
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const LeaderChange& last = changes[i - 1];
    const LeaderChange& next = changes[i];
    const bool is_same = last.node == next.node && last.term == next.term;
    ledger.count("changes of the leadership examined");
    if (is_same) continue;
    ledger.count("leaders that followed another");
    if (next.term != last.term + 1)
      ledger.violation(Harm::wrong, fmt::format("term {} of {} followed term {} of {}", next.term, next.node,
                                                last.term, last.node));
    if (next.at < last.until)
      ledger.violation(Harm::doubled, fmt::format("{} took term {} at {}, before the end {} of {}'s",
                                                  next.node, next.term, next.at, last.until, last.node));
    ledger.recovered(
        "from the end of a leader's lease to the next leader",
        std::chrono::duration_cast<std::chrono::milliseconds>(core::Duration{next.at - last.until}));
  }
}

}  // namespace pawl::chaos
