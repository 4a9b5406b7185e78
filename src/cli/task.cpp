// pawl task: enqueue, list, show. task_act.cpp retries and cancels tasks, task_dead.cpp shows the dead
// letters.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/payload.hpp"
#include "cli/session.hpp"
#include "cli/task_act.hpp"
#include "cli/task_dead.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

core::Result<std::string> enqueue_body(const Input& input) {
  client::ObjectText body;
  body.text("type", input.text("TYPE"));
  auto payload = read_payload(input.text("PAYLOAD"));
  if (!payload) return payload;
  body.raw("payload", *payload);
  for (const auto* name : {"queue", "key", "delay", "timeout"}) {
    const auto flag = std::string{"--"} + name;
    if (input.has(flag)) body.text(name, input.text(flag));
  }
  if (input.has("--run-at")) body.text("run_at", input.text("--run-at"));
  if (input.has("--idempotency-key")) body.text("idempotency_key", input.text("--idempotency-key"));
  if (input.has("--fairness-key")) body.text("fairness_key", input.text("--fairness-key"));
  if (input.has("--fairness-weight")) body.real("fairness_weight", input.real("--fairness-weight"));
  if (input.has("--priority")) body.number("priority", input.integer("--priority"));
  if (input.has("--max-attempts")) {
    body.raw("retry", client::ObjectText{}.number("max_attempts", input.integer("--max-attempts")).str());
  }
  if (input.has("--label")) {
    auto labels = labels_text(input.all("--label"));
    if (!labels) return labels;
    body.raw("labels", *labels);
  }
  return body.str();
}

int enqueue(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    auto body = enqueue_body(input);
    if (!body) return body.problem();
    return print_answer(context, input, session.post("/tasks", *body), [&](const Json& json) {
      const auto& task = json.value("task", Json::object());
      context.out.line(fmt::format("{}  {}{}", text_at(task, "id"), text_at(task, "status"),
                                   json.value("created", true) ? "" : "  (it was there already)"));
    });
  });
}

std::string tasks_query(const Input& input) {
  std::string query = filter_query(input, task_filter_flags());
  if (input.has("--order")) query += "&order=" + input.text("--order");
  return query;
}

std::string age_of(const Json& object, const std::string& member, Context& context) {
  const auto time = core::parse_time(text_at(object, member));
  return time ? relative_time(*time, context.clock.now()) : "";
}

std::vector<Cell> task_row(const Json& task, Context& context) {
  const auto status = text_at(task, "status");
  const auto error = task.value("error", Json());
  return {{.text = text_at(task, "id")},
          {.text = shortened(text_at(task, "type"), kNameWidth)},
          {.text = shortened(text_at(task, "queue"), kNameWidth)},
          {.text = status, .colour = colour_of_status(status)},
          {.text = text_at(task, "attempt")},
          {.text = age_of(task, "created_at", context)},
          {.text = error.is_object() ? shortened(text_at(error, "message"), 40) : ""}};
}

int list_tasks(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto limit = list_limit(input);
    if (!limit) return limit.problem();
    std::vector<std::vector<Cell>> rows;
    auto listed = each_item(session, "/tasks", tasks_query(input), *limit, [&](std::string_view item) {
      if (input.has("--json")) {
        context.out.line(client::one_line(item));
      } else {
        rows.push_back(task_row(Json::parse(item), context));
      }
    });
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"ID"}, {"TYPE"}, {"QUEUE"}, {"STATUS"}, {"ATTEMPT", true}, {"CREATED"}, {"ERROR"}},
                      rows);
    return core::Done{};
  });
}

void show_fields(const Json& task, Context& context) {
  std::vector<std::pair<std::string, Cell>> fields;
  for (const auto& [name, value] : task.items()) {
    if (value.is_null() || name == "attempts" || value == Json::object()) continue;
    const auto text = text_at(task, name);
    const auto colour = name == "status" ? colour_of_status(text) : Colour::none;
    const bool is_time = name.ends_with("_at");
    fields.emplace_back(
        name, Cell{.text = is_time ? fmt::format("{} ({})", text, age_of(task, name, context)) : text,
                   .colour = colour});
  }
  context.out.fields(fields);
}

void show_attempts(const Json& task, Context& context) {
  const auto attempts = task.find("attempts");
  if (attempts == task.end() || !attempts->is_array() || attempts->empty()) return;
  std::vector<std::vector<Cell>> rows;
  for (const auto& attempt : *attempts) {
    const auto error = attempt.value("error", Json());
    const auto outcome = text_at(attempt, "outcome");
    rows.push_back(
        {{.text = text_at(attempt, "attempt")},
         {.text = outcome, .colour = colour_of_status(outcome)},
         {.text = text_at(attempt, "worker_id")},
         {.text = age_of(attempt, "claimed_at", context)},
         {.text = error.is_object() ? text_at(error, "code") + ": " + text_at(error, "message") : ""}});
  }
  context.out.line("");
  context.out.table({{"ATTEMPT", true}, {"OUTCOME"}, {"WORKER"}, {"CLAIMED"}, {"ERROR"}}, rows);
}

int show_task(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.get("/tasks/" + client::percent_encoded(input.text("ID")));
    return print_answer(context, input, answer, [&](const Json& task) {
      show_fields(task, context);
      show_attempts(task, context);
    });
  });
}

std::vector<Flag> enqueue_flags() {
  return {
      {.name = "--queue", .value = "NAME", .summary = "The queue; the type's own or 'default' if not given"},
      {.name = "--key", .value = "KEY", .summary = "An entity: its tasks run one at a time, in order"},
      {.name = "--priority", .value = "N", .summary = "Higher runs first", .kind = ValueKind::integer},
      {.name = "--delay",
       .value = "TIME",
       .summary = "Delay before the task can be claimed",
       .kind = ValueKind::duration},
      {.name = "--run-at", .value = "TIME", .summary = "Not before this time", .kind = ValueKind::time},
      {.name = "--idempotency-key",
       .value = "KEY",
       .summary = "The same type and key again is the same task"},
      {.name = "--fairness-key",
       .value = "KEY",
       .summary = "Tenant of the task: tenants share a queue's claims by weight"},
      {.name = "--fairness-weight",
       .value = "N",
       .summary = "How large that tenant's share is; 1 if not given",
       .kind = ValueKind::real},
      {.name = "--max-attempts",
       .value = "N",
       .summary = "The first one counts; -1: for ever",
       .kind = ValueKind::integer},
      {.name = "--timeout", .value = "TIME", .summary = "Of one attempt", .kind = ValueKind::duration},
      {.name = "--label", .value = "NAME=VALUE", .summary = "To find it by", .repeated = true}};
}

}  // namespace

std::vector<Command> task_commands() {
  std::vector<Command> commands{
      {.path = "task enqueue",
       .summary = "Enqueue a task",
       .arguments = {{.name = "TYPE", .summary = "What is to be done: email.send"},
                     {.name = "PAYLOAD",
                      .summary = "JSON; - for standard input, @FILE for a file",
                      .required = false}},
       .flags = with_server_flags(enqueue_flags()),
       .example = R"(pawl task enqueue email.send '{"to":"ada@example.org"}' --key ada --delay 10s)",
       .handler = enqueue},
      {.path = "task list",
       .summary = "List tasks, the newest first",
       .flags = with_server_flags(list_flags(task_filter_flags())),
       .example = "pawl task list --status failed,dead_letter --queue mail",
       .handler = list_tasks},
      {.path = "task show",
       .summary = "Show a task and its attempts",
       .arguments = {{.name = "ID", .summary = "The task's id"}},
       .flags = server_flags(),
       .example = "pawl task show 0198c0de-0000-7000-8000-000000000000",
       .handler = show_task}};
  for (Command& command : task_act_commands()) commands.push_back(std::move(command));
  commands.push_back(dead_letters_command());
  return commands;
}

}  // namespace pawl::cli
