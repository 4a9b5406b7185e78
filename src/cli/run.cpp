// pawl run: start, list, show, graph, replay. run_watch.cpp watches runs, run_act.cpp acts on them.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/payload.hpp"
#include "cli/run_act.hpp"
#include "cli/run_watch.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

core::Result<std::string> start_body(const Input& input) {
  client::ObjectText body;
  if (input.has("INPUT")) {
    auto payload = read_payload(input.text("INPUT"));
    if (!payload) return payload;
    body.raw("input", *payload);
  }
  if (input.has("--key")) body.text("run_key", input.text("--key"));
  if (input.has("--on-conflict")) body.text("on_conflict", input.text("--on-conflict"));
  for (const auto* name : {"queue", "deadline"}) {
    const auto flag = std::string{"--"} + name;
    if (input.has(flag)) body.text(name, input.text(flag));
  }
  for (const auto* name : {"version", "priority"}) {
    const auto flag = std::string{"--"} + name;
    if (input.has(flag)) body.number(name, input.integer(flag));
  }
  if (input.has("--label")) {
    auto labels = labels_text(input.all("--label"));
    if (!labels) return labels;
    body.raw("labels", *labels);
  }
  return body.str();
}

// Watches the started run and returns whether it completed. As JSON it prints one document, as without
// --wait, with the ended run in it.
core::Status wait_for(Session& session, Context& context, const Json& started, bool as_json) {
  const auto id = text_at(started.value("run", Json::object()), "id");
  const auto watched = as_json ? await_end(session, id) : watch_run(session, context, id, false);
  if (!watched) return watched;
  const auto answer = session.get(run_path(id));
  if (!answer) return answer.problem();
  const auto run = json_of(*answer);
  if (!run) return run.problem();
  if (as_json) {
    context.out.line(client::ObjectText{}
                         .raw("created", started.value("created", true) ? "true" : "false")
                         .raw("run", client::one_line(answer->body))
                         .str());
  }
  return ended_well(*run);
}

int start(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    auto body = start_body(input);
    if (!body) return body.problem();
    const auto answer =
        session.post("/workflows/" + client::percent_encoded(input.text("WORKFLOW")) + "/start", *body);
    if (!answer) return answer.problem();
    const auto json = json_of(*answer);
    if (!json) return json.problem();
    const auto& run = json->value("run", Json::object());
    const bool as_json = input.has("--json");
    if (input.has("--wait")) return wait_for(session, context, *json, as_json);
    context.out.line(as_json ? client::one_line(answer->body)
                             : fmt::format("{}  {}{}", text_at(run, "id"), text_at(run, "state"),
                                           json->value("created", true) ? "" : "  (it was there already)"));
    return core::Done{};
  });
}

std::string runs_query(const Input& input) {
  std::string query = filter_query(input, run_filter_flags());
  if (input.has("--order")) query += "&order=" + input.text("--order");
  return query;
}

std::vector<Cell> run_row(const Json& run, Context& context) {
  const auto state = text_at(run, "state");
  const auto error = run.value("error", Json());
  const auto counts = run.value("counts", Json::object());
  std::int64_t total = 0;
  for (const auto& [name, count] : counts.items()) total += count.is_number() ? count.get<std::int64_t>() : 0;
  const auto created = core::parse_time(text_at(run, "created_at"));
  return {{.text = text_at(run, "id")},
          {.text = shortened(text_at(run, "workflow"), kNameWidth)},
          {.text = state, .colour = colour_of_state(state)},
          {.text = fmt::format("{}/{}", text_at(counts, "completed"), total)},
          {.text = created ? relative_time(*created, context.clock.now()) : ""},
          {.text = error.is_object() ? shortened(text_at(error, "message"), 40) : ""}};
}

int list_runs(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto limit = list_limit(input);
    if (!limit) return limit.problem();
    std::vector<std::vector<Cell>> rows;
    const auto listed = each_item(session, "/runs", runs_query(input), *limit, [&](std::string_view item) {
      if (input.has("--json")) return context.out.line(client::one_line(item));
      rows.push_back(run_row(Json::parse(item), context));
    });
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"ID"}, {"WORKFLOW"}, {"STATE"}, {"DONE", true}, {"STARTED"}, {"ERROR"}}, rows);
    return core::Done{};
  });
}

int show_run(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto id = input.text("ID");
    if (input.has("--json")) {
      const auto answer = session.get(run_path(id, "?include=tasks"));
      if (!answer) return answer.problem();
      context.out.line(client::one_line(answer->body));
      return core::Done{};
    }
    const auto tree = look_at_run(session, id);
    if (!tree) return tree.problem();
    print_tree(context, *tree);
    std::vector<std::pair<std::string, Cell>> fields;
    for (const auto* name : {"input", "output", "continued_from", "continued_as"}) {
      const auto text = text_at(tree->run, name);
      if (!text.empty()) fields.emplace_back(name, Cell{.text = shortened(text, 400)});
    }
    context.out.fields(fields);
    return core::Done{};
  });
}

int graph(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const std::string format = input.has("--json") ? "json" : input.text("--format");
    const auto answer = session.get(run_path(input.text("ID"), "/graph?format=" + format));
    if (!answer) return answer.problem();
    std::string text = format == "json" ? client::one_line(answer->body) : answer->body;
    while (text.ends_with('\n')) text.pop_back();
    context.out.line(text);
    return core::Done{};
  });
}

int replay(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const std::string query = input.has("--up-to") ? fmt::format("?up_to={}", input.integer("--up-to")) : "";
    const auto answer = session.get(run_path(input.text("ID"), "/replay" + query));
    if (!answer) return answer.problem();
    const auto json = json_of(*answer);
    if (!json) return json.problem();
    const Json state = json->value("state", Json::object());
    const bool matches = json->value("matches", false);
    if (input.has("--json")) {
      context.out.line(client::one_line(answer->body));
    } else {
      context.out.line(
          fmt::format("After event {} the run is {}.", text_at(state, "sequence"), text_at(state, "state")));
      for (const auto& difference : json->value("differences", Json::array()))
        context.out.line("differs: " + without_controls(difference.get<std::string>()));
    }
    if (matches) return core::Done{};
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = "the replayed state differs from the stored run"};
  });
}

std::vector<Flag> start_flags() {
  return {{.name = "--key",
           .value = "KEY",
           .summary = "Run key: a second start with the same workflow and key returns the existing run"},
          {.name = "--on-conflict",
           .value = "WHAT",
           .summary = "What to do if a run with this key exists",
           .kind = ValueKind::choice,
           .choices = {"return_existing", "fail", "restart_if_closed"}},
          {.name = "--version",
           .value = "N",
           .summary = "Of the definition; the latest if not given",
           .kind = ValueKind::integer},
          {.name = "--queue", .value = "NAME", .summary = "The queue of its tasks"},
          {.name = "--priority", .value = "N", .summary = "Higher runs first", .kind = ValueKind::integer},
          {.name = "--deadline",
           .value = "TIME",
           .summary = "Time limit of the run",
           .kind = ValueKind::duration},
          {.name = "--label", .value = "NAME=VALUE", .summary = "Label to filter by", .repeated = true},
          {.name = "--wait",
           .summary = "Watch it until it ends; exit code 1 if it did not complete",
           .kind = ValueKind::none}};
}

}  // namespace

std::vector<Command> run_commands() {
  const Argument id{.name = "ID", .summary = "The run's id"};
  std::vector<Command> commands{
      {.path = "run start",
       .summary = "Start a run of a workflow",
       .arguments = {{.name = "WORKFLOW", .summary = "Its name"},
                     {.name = "INPUT",
                      .summary = "JSON; - for standard input, @FILE for a file",
                      .required = false}},
       .flags = with_server_flags(start_flags()),
       .example = R"(pawl run start order-fulfilment '{"total":42}' --key order-7 --wait)",
       .handler = start},
      {.path = "run list",
       .summary = "List runs, the newest first",
       .flags = with_server_flags(list_flags(run_filter_flags())),
       .example = "pawl run list --state failed --workflow order-fulfilment",
       .handler = list_runs},
      {.path = "run show",
       .summary = "Show a run as a tree of its tasks",
       .arguments = {id},
       .flags = server_flags(),
       .example = "pawl run show 0198c0de-0000-7000-8000-000000000000",
       .handler = show_run}};
  const auto add = [&commands](std::vector<Command> more) {
    commands.insert(commands.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  add(run_watch_commands());
  add(run_act_commands());
  add({{.path = "run graph",
        .summary = "Draw a run with the states of its tasks",
        .arguments = {id},
        .flags = with_server_flags({{.name = "--format",
                                     .value = "FORMAT",
                                     .summary = "Of the drawing",
                                     .kind = ValueKind::choice,
                                     .fallback = "mermaid",
                                     .choices = {"mermaid", "dot", "json"}}}),
        .example = "pawl run graph 0198c0de-0000-7000-8000-000000000000 --format dot",
        .handler = graph},
       {.path = "run replay",
        .summary = "Rebuild a run from its events and compare it with what is stored",
        .arguments = {id},
        .flags = with_server_flags({{.name = "--up-to",
                                     .value = "N",
                                     .summary = "The state after this event",
                                     .kind = ValueKind::integer}}),
        .example = "pawl run replay 0198c0de-0000-7000-8000-000000000000 --up-to 7",
        .handler = replay}});
  return commands;
}

}  // namespace pawl::cli
