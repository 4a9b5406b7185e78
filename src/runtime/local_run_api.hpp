#pragma once
// The calls on definitions, runs and steps over an engine in this process.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/api/run_api.hpp"
#include "runtime/local_context.hpp"

namespace pawl::runtime {

class LocalRunApi : public core::RunApi {
 public:
  explicit LocalRunApi(LocalContext& context)
      : store_(context.store),
        clock_(context.clock),
        subscriptions_(context.subscriptions),
        promised_(context.promised),
        caller_(context.caller),
        records_(context.records),
        runs_(context.runs),
        admission_(context.admission) {}

  core::Result<core::DefinitionPut> put_definition(const core::PutDefinition& request) override;
  core::Result<core::DefinitionVersion> get_definition(const std::string& ns, const std::string& name,
                                                       std::optional<int> version) override;
  core::Result<core::Page<core::DefinitionVersion>> list_definitions(const core::ListRecords& list) override;

  core::Result<core::RunStarted> start_run(const core::StartRun& request) override;
  core::Result<core::RunStarted> open_run(const core::OpenRun& request) override;
  core::Result<core::Run> get_run(const core::RunRef& ref) override;
  core::Result<core::RunView> view_run(const core::RunRef& ref) override;
  core::Result<core::Page<core::Run>> list_runs(const core::ListRuns& list) override;
  core::Result<core::Run> await_run(const core::RunRef& ref, core::Duration wait) override;
  core::Result<core::Run> act_on_run(const core::ActOnRun& request) override;
  core::Result<core::Run> rewind_run(const core::RewindRun& request) override;
  core::Result<core::Run> signal_run(const core::SignalRun& request) override;
  core::Result<core::BulkResult> act_on_runs(const core::BulkRuns& bulk) override;

  core::Result<core::StepsWritten> write_steps(core::WriteSteps command) override;
  core::Result<std::vector<core::Result<core::StepsWritten>>> write_steps_of_many(
      core::WriteStepsOfMany command) override;
  core::Result<std::vector<core::StepAttempt>> list_steps(const core::RunRef& ref) override;
  core::Result<core::StepMemoPage> list_memo(const core::RunRef& ref, core::NodeKey from) override;
  core::Result<core::StepMemo> get_step(const core::RunRef& ref, const std::string& step_id) override;

  core::Result<std::vector<core::RunEvent>> list_run_events(const core::ListRunEvents& list) override;
  core::Result<core::RunReplay> replay_run(const core::RunRef& ref,
                                           std::optional<std::int64_t> up_to) override;

  // `start_run` for a call that was admitted when it was made.
  core::Result<core::RunStarted> start_admitted(const core::StartRun& request);

 private:
  template <typename Command>
  core::Result<core::RunStarted> call_on_run(const std::string& ns, Command command);

  store::Store& store_;
  core::Clock& clock_;
  const Subscriptions& subscriptions_;
  const PromisedIds& promised_;
  CommandCaller& caller_;
  RecordAccess& records_;
  RunReader& runs_;
  Admission& admission_;
};

}  // namespace pawl::runtime
