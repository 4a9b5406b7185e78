// A worker as a program would write it: one process, its own engine on the shared file.

#include <chrono>
#include <thread>

#include "client/open_store.hpp"
#include "examples/survive/survive.hpp"
#include "runtime/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::examples {

using namespace std::chrono_literals;

int run_worker(const std::string& name, const std::string& file) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store({.type = client::StoreType::sqlite, .location = file}, clock, random);
  runtime::Runtime runtime{*store, clock, random};

  while (true) {
    // A lease of two seconds: if this process dies, other workers get its tasks two seconds later.
    const auto claimed =
        runtime.api().claim({.worker_id = name, .queues = {kQueue}, .max = 25, .lease = 2s, .wait = 5s});
    if (!claimed) return 1;
    if (claimed->empty()) return 0;  // no task for five seconds: all are done

    core::ReportTasks reports{.worker_id = name};
    for (const core::ClaimedTask& task : *claimed) {
      std::this_thread::sleep_for(2ms);  // the work itself
      reports.reports.push_back({.task_id = task.task.id,
                                 .fence = task.task.lease->fence,
                                 .action = core::ReportAction::complete,
                                 .output = {R"({"sent":true})"}});
    }
    if (!runtime.api().report(std::move(reports))) return 1;
  }
}

}  // namespace pawl::examples
