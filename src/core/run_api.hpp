#pragma once
// Every use case of workflows: definitions, runs, their events. As in core/api.hpp, an engine in this process
// or a server may stand behind it; every call may be made from any thread and returns when its outcome is
// durable.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "core/run_apply.hpp"
#include "core/run_machine.hpp"

namespace pawl::core {

// --- definitions ---

struct PutDefinition {
  std::string ns = "default";
  std::string name = {};
  std::string text = {};  // JSON; YAML is made JSON at the edge
  Actor by = {};
};
// One version; immutable.
struct DefinitionVersion {
  std::string name = {};
  int version = 0;
  std::string hash = {};
  RawJson text = {};  // as `definition_text` writes it
  TimePoint created_at = {};

  bool operator==(const DefinitionVersion&) const = default;
};
struct DefinitionPut {
  bool created = false;  // false: the latest version has the same content
  DefinitionVersion version = {};
};

// --- runs ---

enum class OnConflict : std::uint8_t { return_existing, fail, restart_if_closed };
inline constexpr int kOnConflictCount = 3;
[[nodiscard]] std::string_view to_string(OnConflict on_conflict);
[[nodiscard]] std::optional<OnConflict> on_conflict_from(std::string_view name);

// Of a graph run: the latest version of the definition if none is given, and its deadline.
struct StartRun {
  std::string ns = "default";
  std::string workflow = {};
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::optional<int> version = {};
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};  // from the start; or
  std::optional<TimePoint> deadline_at = {};
  Labels labels = {};
  OnConflict on_conflict = OnConflict::return_existing;
  std::string trace_id = {};  // of a W3C traceparent
  std::string span_id = {};
  Actor by = {};
};
// A container: its tasks are added one by one, with `TaskSpec::run_id` and `after`.
struct OpenRun {
  std::string ns = "default";
  std::string workflow = "open";
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::optional<Duration> deadline = {};
  std::optional<TimePoint> deadline_at = {};
  Labels labels = {};
  bool auto_complete = false;
  OnConflict on_conflict = OnConflict::return_existing;
  std::string trace_id = {};
  std::string span_id = {};
  Actor by = {};
};
struct RunStarted {
  bool created = false;
  Run run = {};
};

struct RunRef {
  std::string ns = "default";
  RunId id = {};
};

// A run with its plan and all of its nodes, those that were never stored included.
struct RunView {
  Run run = {};
  std::optional<Definition> definition = {};  // none: an open run
  std::vector<Node> nodes = {};
};

struct RunQuery {
  std::string ns = "default";
  std::vector<RunState> states = {};  // none: all
  std::optional<std::string> workflow = {};
  std::optional<std::string> run_key = {};
  std::optional<RunId> parent = {};
  std::optional<std::pair<std::string, std::string>> label = {};
  std::optional<TimePoint> created_after = {};
  std::optional<TimePoint> created_before = {};
};
struct ListRuns {
  RunQuery query = {};
  bool newest_first = true;
  int limit = kPageDefault;
  std::string cursor = {};
};

struct ActOnRun {
  RunRef run = {};
  RunActionAsked asked = {};
  Actor by = {};
};
struct RewindRun {
  RunRef run = {};
  std::string to = {};  // the id of a task
  std::optional<std::int64_t> expected_sequence = {};
  Actor by = {};
};
struct SignalRun {
  RunRef run = {};
  SignalSent signal = {};
  Actor by = {};
};
struct BulkRuns {
  RunQuery query = {};
  RunAction action = RunAction::retry;  // or cancel
  std::optional<std::string> reason = {};
  int limit = 1'000;
  bool dry_run = false;  // says what matches and changes nothing
  Actor by = {};
};

struct ListRunEvents {
  RunRef run = {};
  std::int64_t after = 0;  // those with a higher sequence, the lowest first
  int limit = kPageDefault;
};

// The state rebuilt from the events alone, compared with what is stored.
struct RunReplay {
  RunView rebuilt = {};
  std::vector<std::string> differences = {};  // none: it matches
};

class RunApi {
 public:
  RunApi() = default;
  RunApi(const RunApi&) = delete;
  RunApi& operator=(const RunApi&) = delete;
  virtual ~RunApi() = default;

  // Definitions
  virtual Result<DefinitionPut> put_definition(const PutDefinition& request) = 0;
  // The latest if no version is given.
  virtual Result<DefinitionVersion> get_definition(const std::string& ns, const std::string& name,
                                                   std::optional<int> version) = 0;
  virtual Result<Page<DefinitionVersion>> list_definitions(
      const ListRecords& list) = 0;  // the latest of each

  // Runs
  virtual Result<RunStarted> start_run(const StartRun& request) = 0;
  virtual Result<RunStarted> open_run(const OpenRun& request) = 0;
  virtual Result<Run> get_run(const RunRef& ref) = 0;
  virtual Result<RunView> view_run(const RunRef& ref) = 0;
  virtual Result<Page<Run>> list_runs(const ListRuns& list) = 0;
  // Once it has ended, or as it is after `wait`.
  virtual Result<Run> await_run(const RunRef& ref, Duration wait) = 0;
  virtual Result<Run> act_on_run(const ActOnRun& request) = 0;
  virtual Result<Run> rewind_run(const RewindRun& request) = 0;  // the new one
  virtual Result<Run> signal_run(const SignalRun& request) = 0;
  virtual Result<BulkResult> act_on_runs(const BulkRuns& bulk) = 0;

  // Events
  virtual Result<std::vector<RunEvent>> list_run_events(const ListRunEvents& list) = 0;
  virtual Result<RunReplay> replay_run(const RunRef& ref, std::optional<std::int64_t> up_to) = 0;
};

}  // namespace pawl::core
