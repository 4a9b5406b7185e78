#pragma once
// I38: what is too old to be kept is gone, a while after it became so. Judged only where somebody was there
// to take it away: a node that has been up for as long, and leads.

#include <optional>
#include <string>

#include "core/retention.hpp"
#include "store/store.hpp"

namespace pawl::engine {

inline constexpr core::Duration kRetentionSlack = core::kDay;

class OverdueLook {
 public:
  // Throws StoreError.
  OverdueLook(store::Store& store, const core::Retention& standard);

  [[nodiscard]] std::optional<std::string> finding_of(const core::TaskRecord& task) const;
  [[nodiscard]] std::optional<std::string> finding_of(const core::Run& run) const;

 private:
  core::RetentionRules rules_;
  std::optional<core::TimePoint> judged_at_ = {};  // what was old then has to be gone now
};

}  // namespace pawl::engine
