#pragma once
// Every use case of workflows: definitions, runs and events. As in core/api/api.hpp, behind this interface is
// an engine in this process or a server; every call may be made from any thread and returns when its outcome
// is durable.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/page.hpp"
#include "core/definition/definition_record.hpp"
#include "core/run/run_apply.hpp"
#include "core/run/run_command.hpp"
#include "core/run/step.hpp"

namespace pawl::core {

// --- runs ---

// A run with its definition and all its nodes, including nodes that were never stored.
struct RunView {
  Run run = {};
  std::optional<Definition> definition = {};  // absent: an open run
  std::vector<Node> nodes = {};
};

struct ListRuns {
  RunQuery query = {};
  bool newest_first = true;
  int limit = kPageDefault;
  std::string cursor = {};
};

struct BulkRuns {
  RunQuery query = {};
  RunAction action = RunAction::retry;  // or cancel
  std::optional<std::string> reason = {};
  int limit = 1'000;
  bool dry_run = false;  // counts the matching runs and changes nothing
  Actor by = {};
};

struct ListRunEvents {
  RunRef run = {};
  std::int64_t after = 0;  // only events with a higher sequence, the lowest first
  int limit = kPageDefault;
};

// The state rebuilt from the events alone, compared with the stored state.
struct RunReplay {
  RunView rebuilt = {};
  std::vector<std::string> differences = {};  // empty: they match
};

class RunApi {
 public:
  RunApi() = default;
  RunApi(const RunApi&) = delete;
  RunApi& operator=(const RunApi&) = delete;
  virtual ~RunApi() = default;

  // Definitions
  virtual Result<DefinitionPut> put_definition(const PutDefinition& request) = 0;
  // The latest version if none is given.
  virtual Result<DefinitionVersion> get_definition(const std::string& ns, const std::string& name,
                                                   std::optional<int> version) = 0;
  virtual Result<Page<DefinitionVersion>> list_definitions(
      const ListRecords& list) = 0;  // the latest version of each

  // Runs
  virtual Result<RunStarted> start_run(const StartRun& request) = 0;
  virtual Result<RunStarted> open_run(const OpenRun& request) = 0;
  virtual Result<Run> get_run(const RunRef& ref) = 0;
  virtual Result<RunView> view_run(const RunRef& ref) = 0;
  virtual Result<Page<Run>> list_runs(const ListRuns& list) = 0;
  // Returns the run when it has ended or `wait` has elapsed.
  virtual Result<Run> await_run(const RunRef& ref, Duration wait) = 0;
  virtual Result<Run> act_on_run(const ActOnRun& request) = 0;
  virtual Result<Run> rewind_run(const RewindRun& request) = 0;  // returns the new run
  virtual Result<Run> signal_run(const SignalRun& request) = 0;
  virtual Result<BulkResult> act_on_runs(const BulkRuns& bulk) = 0;

  // Steps of code runs. If the task of the body is not given, it is looked up.
  virtual Result<StepsWritten> write_steps(WriteSteps command) = 0;
  // One result for each write, in order.
  virtual Result<std::vector<Result<StepsWritten>>> write_steps_of_many(WriteStepsOfMany command) = 0;
  virtual Result<std::vector<StepAttempt>> list_steps(const RunRef& ref) = 0;
  // The current steps, for a body whose claim did not carry all of them.
  virtual Result<StepMemoPage> list_memo(const RunRef& ref, NodeKey from) = 0;
  // One step by its id.
  virtual Result<StepMemo> get_step(const RunRef& ref, const std::string& step_id) = 0;

  // Events
  virtual Result<std::vector<RunEvent>> list_run_events(const ListRunEvents& list) = 0;
  virtual Result<RunReplay> replay_run(const RunRef& ref, std::optional<std::int64_t> up_to) = 0;
};

}  // namespace pawl::core
