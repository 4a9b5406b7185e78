#include "cli/run_act.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/payload.hpp"
#include "cli/run_watch.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

// Prints the run of a response.
core::Status print_run(Context& context, const Input& input, const core::Result<client::HttpAnswer>& answer) {
  return print_answer(context, input, answer, [&](const Json& json) {
    const Json& run = json.contains("run") ? json["run"] : json;
    context.out.line(fmt::format("{}  {}", text_at(run, "id"), text_at(run, "state")));
  });
}

core::Status act_on_run(Session& session, Context& context, const Input& input, const std::string& verb) {
  client::ObjectText body;
  if (input.has("--reason")) body.text("reason", input.text("--reason"));
  if (verb == "skip" && !input.text("STEP").empty()) body.text("step", input.text("STEP"));
  const auto answer = session.post(run_path(input.text("ID"), "/" + verb), body.str());
  return print_run(context, input, answer);
}

Handler run_action(const std::string& verb) {
  return [verb](Context& context, const Input& input) {
    return with_session(context, input,
                        [&](Session& session) { return act_on_run(session, context, input, verb); });
  };
}

// retry and cancel: one run by its id, or all runs that match a filter.
Handler one_or_many_runs(const std::string& verb) {
  return [verb](Context& context, const Input& input) {
    return with_session(context, input, [&](Session& session) {
      if (!input.text("ID").empty()) return act_on_run(session, context, input, verb);
      BulkAction action{.noun = "run", .verb = verb, .filters = run_filter_flags()};
      if (input.has("--reason")) action.reason = input.text("--reason");
      return act_on_many(session, context, input, action);
    });
  };
}

int rewind(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.post(run_path(input.text("ID"), "/rewind"),
                                     client::ObjectText{}.text("to", input.text("--to")).str());
    return print_run(context, input, answer);
  });
}

int signal(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    client::ObjectText body;
    if (input.has("PAYLOAD")) {
      const auto payload = read_payload(input.text("PAYLOAD"));
      if (!payload) return payload.problem();
      body.raw("payload", *payload);
    }
    if (input.has("--idempotency-key")) body.text("idempotency_key", input.text("--idempotency-key"));
    const auto answer = session.post(
        run_path(input.text("ID"), "/signals/" + client::percent_encoded(input.text("NAME"))), body.str());
    return print_run(context, input, answer);
  });
}

Flag reason_flag() { return {.name = "--reason", .value = "TEXT", .summary = "Kept in the run's events"}; }

std::vector<Flag> one_or_many_flags() {
  std::vector<Flag> flags = bulk_flags("run", run_filter_flags());
  flags.insert(flags.begin(), reason_flag());
  return with_server_flags(std::move(flags));
}

}  // namespace

std::vector<FilterFlag> run_filter_flags() {
  return {{{.name = "--state", .value = "A,B", .summary = "running, failed, compensated …"}, "state"},
          {{.name = "--workflow", .value = "NAME", .summary = "Of this workflow"}, "workflow"},
          {{.name = "--retrying",
            .summary = "Of which a task failed and waits to be tried again",
            .kind = ValueKind::none},
           "retrying"},
          {{.name = "--key", .value = "KEY", .summary = "With this run key"}, "run_key"},
          {{.name = "--parent", .value = "ID", .summary = "Started by this run"}, "parent"},
          {{.name = "--label", .value = "NAME=VALUE", .summary = "With this label"}, "label"},
          {{.name = "--created-after",
            .value = "TIME",
            .summary = "Created after this time",
            .kind = ValueKind::time},
           "created_after"},
          {{.name = "--created-before",
            .value = "TIME",
            .summary = "Created before this time",
            .kind = ValueKind::time},
           "created_before"}};
}

std::vector<Command> run_act_commands() {
  const Argument id{.name = "ID", .summary = "The run's id"};
  const Argument maybe_id{
      .name = "ID", .summary = "The run's id; none: all that a filter finds", .required = false};
  const auto one = [&](const std::string& verb, const std::string& summary) {
    return Command{.path = "run " + verb,
                   .summary = summary,
                   .arguments = {id},
                   .flags = with_server_flags({reason_flag()}),
                   .example = "pawl run " + verb + " 0198c0de-0000-7000-8000-000000000000",
                   .handler = run_action(verb)};
  };
  return {
      one("pause", "Pause a run: no new task starts, running tasks finish"),
      one("resume", "Let a paused run go on"),
      {.path = "run cancel",
       .summary = "Cancel a run, or all that a filter finds; what was done is undone",
       .arguments = {maybe_id},
       .flags = one_or_many_flags(),
       .example = "pawl run cancel --workflow order-fulfilment --state running --dry-run",
       .handler = one_or_many_runs("cancel")},
      {.path = "run retry",
       .summary = "Retry the failed tasks of a run, or of all runs that match a filter",
       .arguments = {maybe_id},
       .flags = one_or_many_flags(),
       .example = "pawl run retry --state failed --workflow order-fulfilment --dry-run",
       .handler = one_or_many_runs("retry")},
      one("compensate", "Undo what a failed run did"),
      one("terminate", "End a run now, without undoing anything and without any worker"),
      {.path = "run skip",
       .summary = "Give up a failed compensation of a run",
       .arguments = {id,
                     {.name = "STEP",
                      .summary = "The compensation; may be absent if only one has failed",
                      .required = false}},
       .flags = with_server_flags({reason_flag()}),
       .example = "pawl run skip 0198c0de-0000-7000-8000-000000000000 refund_payment",
       .handler = run_action("skip")},
      {.path = "run rewind",
       .summary = "Start a new run that keeps all results before a task",
       .arguments = {id},
       .flags = with_server_flags(
           {{.name = "--to", .value = "TASK", .summary = "The task to begin with", .required = true}}),
       .example = "pawl run rewind 0198c0de-0000-7000-8000-000000000000 --to process_payment",
       .handler = rewind},
      {.path = "run signal",
       .summary = "Send a signal to a run",
       .arguments = {id,
                     {.name = "NAME", .summary = "Of the signal"},
                     {.name = "PAYLOAD",
                      .summary = "JSON; - for standard input, @FILE for a file",
                      .required = false}},
       .flags = with_server_flags(
           {{.name = "--idempotency-key", .value = "KEY", .summary = "The same key again changes nothing"}}),
       .example = R"(pawl run signal 0198c0de-0000-7000-8000-000000000000 approved '{"ok":true}')",
       .handler = signal}};
}

}  // namespace pawl::cli
