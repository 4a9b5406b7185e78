#pragma once
// Erases rows past their retention page by page, slowly enough not to disturb other work. The leader's
// maintenance thread calls it.

#include <optional>

#include "core/base/env.hpp"
#include "engine/engine.hpp"
#include "engine/retention.hpp"

namespace pawl::runtime {

class Retainer {
 public:
  Retainer(engine::Engine& engine, core::Clock& clock, core::Retention retention)
      : engine_(engine), clock_(clock), retention_(retention) {}

  // Erases a page if one is due. Returns how long to leave the store to other work.
  core::Duration step();

 private:
  [[nodiscard]] std::optional<engine::RetentionWalk::Page> next_page();
  [[nodiscard]] core::Duration pause_after(core::Duration took);

  engine::Engine& engine_;
  core::Clock& clock_;
  const core::Retention retention_;
  std::optional<engine::RetentionWalk> walk_;
  core::MonotonicTime walk_began_ = {};
  core::MonotonicTime next_ = {};
  std::int64_t groups_seen_ = 0;  // of the engine, after the last page
  core::Duration page_cost_{0};
};

}  // namespace pawl::runtime
