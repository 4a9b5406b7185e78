#pragma once
// I38: rows past their retention are erased, within a grace period. Judged only if the leading node has been
// up for that long: otherwise no node may have been there to erase them.

#include <optional>
#include <string>

#include "core/records/retention.hpp"
#include "store/store.hpp"

namespace pawl::engine {

inline constexpr core::Duration kRetentionSlack = core::kDay;

class OverdueRows {
 public:
  // Throws StoreError.
  OverdueRows(store::Store& store, const core::Retention& standard);

  [[nodiscard]] std::optional<std::string> finding_of(const core::TaskRecord& task) const;
  [[nodiscard]] std::optional<std::string> finding_of(const core::Run& run) const;

 private:
  core::RetentionRules rules_;
  std::optional<core::TimePoint> judged_at_ = {};  // rows that were expired then must be gone now
};

}  // namespace pawl::engine
