#pragma once
// Takes away what is too old to be kept, a page after the other, so slowly that whoever works beside it does
// not notice. The leader's maintenance thread calls it.

#include <optional>

#include "core/env.hpp"
#include "engine/engine.hpp"
#include "engine/retention.hpp"

namespace pawl::runtime {

class Retainer {
 public:
  Retainer(engine::Engine& engine, core::Clock& clock, core::Retention retention)
      : engine_(engine), clock_(clock), retention_(retention) {}

  // A page, if it is time for one. Returns how long to leave the store to the others.
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
  std::int64_t groups_seen_ = 0;  // of the engine, after our last page
  core::Duration page_cost_{0};
};

}  // namespace pawl::runtime
