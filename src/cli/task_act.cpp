#include "cli/task_act.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

core::Status act_on_task(Session& session, Context& context, const Input& input, const std::string& verb) {
  const auto id = input.text("ID");
  const auto answer = session.post("/tasks/" + client::percent_encoded(id) + "/" + verb, "");
  return print_answer(context, input, answer, [&](const Json& json) {
    const Json& task = json.contains("task") ? json["task"] : json;
    const bool waits = task.value("cancel_requested", false) && text_at(task, "status") != "cancelled";
    context.out.line(fmt::format("{}  {}{}", id, text_at(task, "status"),
                                 waits ? "  (its worker was requested to stop)" : ""));
  });
}

Handler one_or_many_tasks(const std::string& verb) {
  return [verb](Context& context, const Input& input) {
    return with_session(context, input, [&](Session& session) {
      if (!input.text("ID").empty()) return act_on_task(session, context, input, verb);
      return act_on_many(session, context, input,
                         {.noun = "task", .verb = verb, .filters = task_filter_flags()});
    });
  };
}

}  // namespace

std::vector<FilterFlag> task_filter_flags() {
  return {{{.name = "--status", .value = "A,B", .summary = "pending, running, dead_letter …"}, "status"},
          {{.name = "--queue", .value = "NAME", .summary = "Of this queue"}, "queue"},
          {{.name = "--type", .value = "TYPE", .summary = "Of this type"}, "type"},
          {{.name = "--key", .value = "KEY", .summary = "Of this entity"}, "key"},
          {{.name = "--run", .value = "ID", .summary = "Of this run"}, "run_id"},
          {{.name = "--worker", .value = "ID", .summary = "Held by this worker"}, "worker_id"},
          {{.name = "--label", .value = "NAME=VALUE", .summary = "With this label"}, "label"},
          {{.name = "--created-after", .value = "TIME", .summary = "Younger", .kind = ValueKind::time},
           "created_after"},
          {{.name = "--created-before", .value = "TIME", .summary = "Older", .kind = ValueKind::time},
           "created_before"}};
}

std::vector<Command> task_act_commands() {
  const Argument maybe_id{
      .name = "ID", .summary = "The task's id; none: all that a filter finds", .required = false};
  const auto flags = with_server_flags(bulk_flags("task", task_filter_flags()));
  return {{.path = "task retry",
           .summary = "Give a failed or dead task a fresh budget of attempts, or all that a filter finds",
           .arguments = {maybe_id},
           .flags = flags,
           .example = "pawl task retry --status dead_letter --type email.send --dry-run",
           .handler = one_or_many_tasks("retry")},
          {.path = "task cancel",
           .summary = "Cancel a task, or all that a filter finds; a running one is asked to stop",
           .arguments = {maybe_id},
           .flags = flags,
           .example = "pawl task cancel --queue mail --dry-run",
           .handler = one_or_many_tasks("cancel")}};
}

}  // namespace pawl::cli
