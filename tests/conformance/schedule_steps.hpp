#pragma once
// Helpers for tests of schedules: create one, move the clock, let a node claim and fire, count the results.

#include <string>
#include <utility>
#include <vector>

#include "core/api/schedule_api.hpp"
#include "runtime/scheduler.hpp"
#include "tests/support/harness.hpp"

namespace pawl::testing {

class ScheduleTest : public EngineTest {
 public:
  core::ScheduleApi& schedules() { return node().local(); }
  // Fires until nothing is due.
  void look(DirectNode& node) {
    SeededRandom random{1};
    runtime::Scheduler scheduler{*node.store(), node.local(), random};
    while (scheduler.poll() > 0) {
    }
  }
  void look() { look(node()); }
  void advance(core::Duration time) {
    clock.advance(time);
    look();
  }

  core::Schedule create(core::Schedule schedule) {
    if (schedule.workflow.empty() && !schedule.task) schedule.task = core::TaskSpec{.type = "report"};
    auto made = schedules().create_schedule({.schedule = std::move(schedule)});
    EXPECT_TRUE(made.ok()) << (made ? "" : made.problem().detail);
    return *made;
  }
  core::Problem refused(core::Schedule schedule) {
    if (schedule.workflow.empty() && !schedule.task) schedule.task = core::TaskSpec{.type = "report"};
    const auto made = schedules().create_schedule({.schedule = std::move(schedule)});
    EXPECT_FALSE(made.ok());
    return made ? core::Problem{} : made.problem();
  }
  std::vector<core::Firing> firings(const std::string& name = "s") {
    const auto page = schedules().list_firings({.ref = {.name_or_id = name}, .limit = 500});
    EXPECT_TRUE(page.ok());
    return page->items;
  }
  std::vector<core::Task> tasks() {
    const auto page = api().list_tasks({.newest_first = false, .limit = 500});
    EXPECT_TRUE(page.ok());
    return page->items;
  }
  int count(core::FiringStatus status) {
    int found = 0;
    for (const core::Firing& firing : firings()) found += firing.status == status ? 1 : 0;
    return found;
  }
};

}  // namespace pawl::testing
