#pragma once
// The Api, the RunApi and the ScheduleApi over an engine in this process: a call becomes a command, waits for
// its answer, and reads what the answer shows. One class for each interface implements the calls; this one
// combines them. Thread-safe, except for an object that `once` returned: one thread uses that.

#include <memory>
#include <utility>

#include "core/api/api.hpp"
#include "runtime/local_admin_api.hpp"
#include "runtime/local_context.hpp"
#include "runtime/local_record_api.hpp"
#include "runtime/local_run_api.hpp"
#include "runtime/local_schedule_api.hpp"
#include "runtime/local_task_api.hpp"
#include "runtime/local_worker_api.hpp"

namespace pawl::runtime {

class LocalApi final : private WithLocalContext,
                       public core::Api,
                       public LocalTaskApi,
                       public LocalWorkerApi,
                       public LocalRecordApi,
                       public LocalAdminApi,
                       public LocalRunApi,
                       public LocalScheduleApi {
 public:
  using Submit = CommandCaller::Submit;

  // The clock and the random source are for the ids of workers and the age of cached records.
  LocalApi(store::Store& store, core::Clock& clock, core::Random& random, Submit submit,
           LocalApiOptions options = {});

  // The same for one idempotent call: the first of its commands that succeeds stores the key.
  [[nodiscard]] std::unique_ptr<LocalApi> once(core::DoOnce key);
  // Whether that call was answered with the stored response.
  [[nodiscard]] bool is_replayed() const { return context.caller.is_replayed(); }

  // The admission checks alone, for an edge that submits commands itself.
  [[nodiscard]] Admission& admission() { return context.admission; }

  // Subscribes to the commits of this process's engine, for the calls that wait for a run or a notice.
  void follow(engine::RunWatch& watch, engine::LeaseNotices& notices) {
    context.subscriptions = {.watch = &watch, .notices = &notices};
  }
  // Sets how ids that SQL functions have returned become tasks and runs when a call names them.
  void follow(PromisedIds::Make make_promised) { context.promised.follow(std::move(make_promised)); }

 private:
  LocalApi(const LocalApi& whole, core::DoOnce key);
};

}  // namespace pawl::runtime
