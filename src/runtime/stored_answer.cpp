#include "runtime/stored_answer.hpp"

#include "core/base/ensure.hpp"
#include "core/json/body.hpp"

namespace pawl::runtime {

namespace {

using Moved = std::vector<core::Result<core::TaskMoved>>;

core::TaskMoved moved_from(const core::Body& body) {
  const auto id = core::parse_uuid(body.text_of("task_id"));
  const auto status = core::task_status_from(body.text_of("status"));
  PAWL_ENSURE(id && status, "the stored answer is what was written");
  return {.task_id = core::TaskId{*id},
          .status = *status,
          .cancel_requested = body.get<bool>("cancel_requested")};
}

}  // namespace

std::optional<core::RawJson> to_stored(const core::Answer& answer) {
  core::Body body;
  if (const auto* record = std::get_if<core::RecordAnswer>(&answer)) {
    body.put("record", record->body);
    body.put("evicted", record->evicted);
  } else if (const auto* checkpoint = std::get_if<core::CheckpointAppended>(&answer)) {
    body.put("checkpoint_id", checkpoint->checkpoint_id);
    body.put("sequence", checkpoint->sequence);
  } else if (const auto* started = std::get_if<core::RunStarted>(&answer)) {
    body.put("run_id", to_string(started->run.facts.id));
    body.put("created", started->created);
  } else if (const auto* moved = std::get_if<Moved>(&answer)) {
    if (moved->size() != 1 || !moved->front()) return std::nullopt;
    body.put("task_id", to_string(moved->front()->task_id));
    body.put("status", std::string{core::to_string(moved->front()->status)});
    body.put("cancel_requested", moved->front()->cancel_requested);
  } else {
    return std::nullopt;
  }
  return body.text();
}

core::Answer from_stored(const core::RawJson& stored) {
  const core::Body body{stored};
  if (const auto sequence = body.optional_of<std::int64_t>("sequence"))
    return core::CheckpointAppended{.checkpoint_id = body.text_of("checkpoint_id"), .sequence = *sequence};
  if (const auto run = body.optional_of<std::string>("run_id")) {
    core::RunStarted started{.created = body.get<bool>("created")};
    started.run.facts.id = core::RunId{core::parse_uuid(*run).value_or(core::Uuid{})};
    return started;
  }
  if (body.optional_of<std::string>("task_id")) return Moved{moved_from(body)};
  return core::RecordAnswer{.body = body.raw_of("record"), .evicted = body.get<int>("evicted")};
}

}  // namespace pawl::runtime
