// pawl schedule: manages schedules.

#include "core/schedule/schedule.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/payload.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"
#include "runtime/zones.hpp"

namespace pawl::cli {

namespace {

std::string schedule_path(const Input& input, const std::string& rest = "") {
  return "/schedules/" + client::percent_encoded(input.text("NAME")) + rest;
}

std::string when(const Json& schedule) {
  const std::string cron = text_at(schedule, "cron");
  return cron.empty() ? "every " + text_at(schedule, "every") : cron + "  " + text_at(schedule, "timezone");
}

std::string dst_text(const Json& schedule) {
  if (!schedule.contains("dst")) return "";
  return fmt::format("gap {}, fold {}", text_at(schedule["dst"], "gap"), text_at(schedule["dst"], "fold"));
}

std::string target(const Json& schedule) {
  const std::string workflow = text_at(schedule, "workflow");
  if (!workflow.empty()) return "workflow " + workflow;
  return schedule.contains("task") ? "task " + text_at(schedule["task"], "type") : "";
}

std::string time_cell(const Json& object, const std::string& name, Context& context) {
  const auto time = core::parse_time(text_at(object, name));
  return time ? relative_time(*time, context.clock.now()) : "";
}

void say(Context& context, const Json& schedule) {
  const bool is_enabled = text_at(schedule, "enabled") == "true";
  const auto next = time_cell(schedule, "next_fire_at", context);
  context.out.line(fmt::format("{}  {}", text_at(schedule, "name"),
                               !is_enabled ? "paused"
                               : next.empty()
                                   ? "fires no more"
                                   : "fires " + next + ", at " + text_at(schedule, "next_fire_at")));
}

// Reports missing flags before the server is called.
core::Status check_create(const Input& input) {
  if (!input.has("--cron") && !input.has("--every"))
    return core::invalid_field("cron", "give --cron or --every: when it is to fire");
  if (!input.has("--workflow") && !input.has("--task"))
    return core::invalid_field("workflow", "give --workflow or --task: what it is to start");
  return core::Done{};
}

core::Result<std::string> create_body(const Input& input) {
  if (const core::Status complete = check_create(input); !complete) return complete.problem();
  client::ObjectText body;
  body.text("name", input.text("NAME"));
  for (const auto& [flag, field] :
       {std::pair{"--cron", "cron"}, std::pair{"--every", "every"}, std::pair{"--timezone", "timezone"},
        std::pair{"--workflow", "workflow"}, std::pair{"--queue", "queue"}, std::pair{"--overlap", "overlap"},
        std::pair{"--jitter", "jitter"}, std::pair{"--start-at", "start_at"},
        std::pair{"--end-at", "end_at"}}) {
    if (input.has(flag)) body.text(field, input.text(flag));
  }
  const auto payload = read_payload(input.text("--input"));
  if (!payload) return payload.problem();
  if (input.has("--task")) {
    client::ObjectText task;
    task.text("type", input.text("--task"));
    if (input.has("--input")) task.raw("payload", *payload);
    body.raw("task", task.str());
  } else if (input.has("--input")) {
    body.raw("input", *payload);
  }
  if (input.has("--dst-gap") || input.has("--dst-fold")) {
    client::ObjectText dst;
    if (input.has("--dst-gap")) dst.text("gap", input.text("--dst-gap"));
    if (input.has("--dst-fold")) dst.text("fold", input.text("--dst-fold"));
    body.raw("dst", dst.str());
  }
  if (input.has("--max-catchup")) body.number("max_catchup", input.integer("--max-catchup"));
  if (input.has("--paused")) body.raw("enabled", "false");
  return body.str();
}

int create_schedule(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto body = create_body(input);
    if (!body) return body.problem();
    return print_answer(context, input, session.post("/schedules", *body),
                        [&](const Json& schedule) { say(context, schedule); });
  });
}

int list_schedules(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    std::vector<std::vector<Cell>> rows;
    const auto listed = each_item(session, "/schedules", "", 0, [&](std::string_view item) {
      if (input.has("--json")) return context.out.line(client::one_line(item));
      const Json row = Json::parse(item);
      const bool is_enabled = text_at(row, "enabled") == "true";
      rows.push_back({{.text = shortened(text_at(row, "name"), kNameWidth)},
                      {.text = when(row)},
                      {.text = shortened(target(row), kNameWidth)},
                      {.text = is_enabled ? time_cell(row, "next_fire_at", context) : "paused",
                       .colour = is_enabled ? Colour::none : Colour::yellow},
                      {.text = time_cell(row, "last_fired_at", context)}});
    });
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"SCHEDULE"}, {"WHEN"}, {"STARTS"}, {"NEXT"}, {"LAST"}}, rows);
    return core::Done{};
  });
}

std::string outcome(const Json& firing) {
  for (const char* name : {"run_id", "task_id", "reason"})
    if (const std::string text = text_at(firing, name); !text.empty()) return text;
  return "";
}

core::Status show_firings(Session& session, Context& context, const Input& input) {
  std::vector<std::vector<Cell>> rows;
  const auto listed =
      each_item(session, schedule_path(input, "/firings"), "", 10, [&](std::string_view item) {
        const Json row = Json::parse(item);
        const std::string status = text_at(row, "status");
        rows.push_back({{.text = text_at(row, "fire_at")},
                        {.text = status, .colour = status == "skipped" ? Colour::yellow : Colour::none},
                        {.text = text_at(row, "origin")},
                        {.text = outcome(row)}});
      });
  if (!listed || rows.empty()) return listed;
  context.out.line("");
  context.out.table({{"SLOT"}, {"STATUS"}, {"ORIGIN"}, {"STARTED, OR WHY NOT"}}, rows);
  return core::Done{};
}

int show_schedule(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto shown =
        print_answer(context, input, session.get(schedule_path(input)), [&](const Json& schedule) {
          context.out.fields({{"name", {.text = text_at(schedule, "name")}},
                              {"id", {.text = text_at(schedule, "id")}},
                              {"when", {.text = when(schedule)}},
                              {"starts", {.text = target(schedule)}},
                              {"enabled", {.text = text_at(schedule, "enabled")}},
                              {"overlap", {.text = text_at(schedule, "overlap")}},
                              {"dst", {.text = dst_text(schedule)}},
                              {"max_catchup", {.text = text_at(schedule, "max_catchup")}},
                              {"next", {.text = text_at(schedule, "next_fire_at")}},
                              {"last", {.text = text_at(schedule, "last_fired_at")}}});
        });
    if (!shown || input.has("--json")) return shown;
    return show_firings(session, context, input);
  });
}

Handler schedule_action(const std::string& verb) {
  return [verb](Context& context, const Input& input) {
    return with_session(context, input, [&](Session& session) -> core::Status {
      return print_answer(context, input, session.post(schedule_path(input, "/" + verb), "{}"),
                          [&](const Json& schedule) { say(context, schedule); });
    });
  };
}

int trigger(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    return print_answer(
        context, input, session.post(schedule_path(input, "/trigger"), "{}"), [&](const Json& firing) {
          context.out.line(
              fmt::format("{} fires now, as {}", text_at(firing, "schedule"), text_at(firing, "fire_at")));
        });
  });
}

int backfill(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    client::ObjectText body;
    body.text("from", input.text("--from")).text("to", input.text("--to"));
    if (input.has("--dry-run")) body.raw("dry_run", "true");
    return print_answer(context, input, session.post(schedule_path(input, "/backfill"), body.str()),
                        [&](const Json& done) {
                          for (const Json& time : done["times"]) context.out.line(time.get<std::string>());
                          context.out.line(fmt::format("{} slots{}", text_at(done, "count"),
                                                       input.has("--dry-run") ? "; nothing was fired" : ""));
                        });
  });
}

int remove(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    return print_answer(context, input, session.remove(schedule_path(input)), [&](const Json&) {
      context.out.line(fmt::format("{} is deleted", input.text("NAME")));
    });
  });
}

// Works for any expression, without a server.
int next(Context& context, const Input& input) {
  if (input.integer("--count") < 1)
    return context.out.problem("schedule next", core::invalid_field("count", "must be 1 or more"));
  const std::string timezone = input.text("--timezone");
  auto zone = runtime::find_zone(timezone);
  if (zone == nullptr)
    return context.out.problem(
        "schedule next",
        core::invalid_field("timezone", fmt::format("there is no time zone \"{}\"", timezone)));
  core::Schedule schedule{.cron = input.text("CRON")};
  schedule.dst.gap = core::dst_gap_from(input.text("--dst-gap")).value_or(schedule.dst.gap);
  schedule.dst.fold = core::dst_fold_from(input.text("--dst-fold")).value_or(schedule.dst.fold);
  const auto timetable = core::Timetable::of(schedule, zone);
  if (!timetable) return context.out.problem("schedule next", timetable.problem());
  core::TimePoint time = context.clock.now();
  for (std::int64_t i = 0; i < input.integer("--count"); ++i) {
    const auto slot = timetable->next(time);
    if (!slot) break;
    time = *slot;
    const std::string utc = core::format_time(time);
    const std::string local = core::format_time(time + zone->period_at(time).offset);
    context.out.line(input.has("--json")
                         ? fmt::format("\"{}\"", utc)
                         : fmt::format("{} {}  ({}, {})", local.substr(0, 10), local.substr(11, 8), utc,
                                       relative_time(time, context.clock.now())));
  }
  return 0;
}

const Argument kName{.name = "NAME", .summary = "The schedule, by name or id"};

const Flag kDstGap{.name = "--dst-gap",
                   .value = "WHAT",
                   .summary = "Fixed times that a clock change leaves out (default shift: fire after it)",
                   .kind = ValueKind::choice,
                   .choices = {"shift", "skip"}};
const Flag kDstFold{.name = "--dst-fold",
                    .value = "WHAT",
                    .summary = "Fixed times that a clock change repeats (default first)",
                    .kind = ValueKind::choice,
                    .choices = {"first", "last", "both"}};

std::vector<Flag> create_flags() {
  return {
      {.name = "--cron", .value = "CRON", .summary = "5 or 6 fields, or @daily and the like"},
      {.name = "--every",
       .value = "TIME",
       .summary = "Instead: at this distance",
       .kind = ValueKind::duration},
      {.name = "--timezone", .value = "ZONE", .summary = "Of --cron, such as Europe/Berlin (default UTC)"},
      {.name = "--workflow", .value = "NAME", .summary = "Start a run of it"},
      {.name = "--task", .value = "TYPE", .summary = "Instead: enqueue a task of this type"},
      {.name = "--input", .value = "JSON", .summary = "What it gets: JSON, - for standard input, @file"},
      {.name = "--queue", .value = "NAME", .summary = "Of the workflow's tasks"},
      {.name = "--overlap",
       .value = "WHAT",
       .summary = "If the previous firing has not ended",
       .kind = ValueKind::choice,
       .choices = {"allow", "skip", "queue", "cancel_previous"}},
      kDstGap,
      kDstFold,
      {.name = "--max-catchup",
       .value = "N",
       .summary = "How many missed slots fire; 0: none",
       .kind = ValueKind::integer},
      {.name = "--jitter",
       .value = "TIME",
       .summary = "Delay each firing by a random time up to this",
       .kind = ValueKind::duration},
      {.name = "--start-at", .value = "TIME", .summary = "No slot before it", .kind = ValueKind::time},
      {.name = "--end-at", .value = "TIME", .summary = "No slot from then on", .kind = ValueKind::time},
      {.name = "--paused", .summary = "Make it, and let it wait", .kind = ValueKind::none}};
}

Command simple(const std::string& verb, std::string summary, Handler handler) {
  return {.path = "schedule " + verb,
          .summary = std::move(summary),
          .arguments = {kName},
          .flags = server_flags(),
          .example = fmt::format("pawl schedule {} nightly", verb),
          .handler = std::move(handler)};
}

}  // namespace

std::vector<Command> schedule_commands() {
  return {
      {.path = "schedule create",
       .summary = "Start a workflow or a task again and again",
       .arguments = {{.name = "NAME", .summary = "What to call it"}},
       .flags = with_server_flags(create_flags()),
       .example = "pawl schedule create nightly --cron '0 3 * * *' --timezone Europe/Berlin --workflow "
                  "nightly-report",
       .handler = create_schedule},
      {.path = "schedule list",
       .summary = "List schedules",
       .flags = server_flags(),
       .example = "pawl schedule list",
       .handler = list_schedules},
      simple("show", "Show a schedule and what it fired last", show_schedule),
      simple("pause", "Pause a schedule; its slots are skipped until it resumes", schedule_action("pause")),
      simple("resume", "Fire again; the slots of the pause are skipped", schedule_action("resume")),
      simple("trigger", "Fire once more, now", trigger),
      {.path = "schedule backfill",
       .summary = "Fire the slots of a time that has passed",
       .arguments = {kName},
       .flags = with_server_flags(
           {{.name = "--from",
             .value = "TIME",
             .summary = "Start of the range, inclusive",
             .kind = ValueKind::time,
             .required = true},
            {.name = "--to",
             .value = "TIME",
             .summary = "End of the range, exclusive",
             .kind = ValueKind::time,
             .required = true},
            {.name = "--dry-run", .summary = "Say which they are and fire none", .kind = ValueKind::none}}),
       .example =
           "pawl schedule backfill nightly --from 2026-01-01T00:00:00Z --to 2026-01-08T00:00:00Z --dry-run",
       .handler = backfill},
      simple("delete", "Delete a schedule; what it started goes on", remove),
      {.path = "schedule next",
       .summary = "The next times of a cron expression, without a server",
       .arguments = {{.name = "CRON", .summary = "In quotes"}},
       .flags =
           {{.name = "--timezone", .value = "ZONE", .summary = "Such as Europe/Berlin", .fallback = "UTC"},
            kDstGap,
            kDstFold,
            {.name = "--count",
             .value = "N",
             .summary = "How many",
             .kind = ValueKind::integer,
             .fallback = "10"},
            {.name = "--json", .summary = "One JSON string a line", .kind = ValueKind::none}},
       .example = "pawl schedule next '0 3 * * MON-FRI' --timezone Europe/Berlin",
       .handler = next},
  };
}

}  // namespace pawl::cli
