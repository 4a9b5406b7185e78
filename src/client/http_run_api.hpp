#pragma once
// The calls on definitions, runs and steps over a server. Runs, their tasks and their replays have only the
// fields that a server shows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/run_api.hpp"

namespace pawl::client {

class HttpRunApi : public core::RunApi {
 public:
  explicit HttpRunApi(HttpConnection& connection) : connection_(connection) {}

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

 private:
  HttpConnection& connection_;
};

}  // namespace pawl::client
