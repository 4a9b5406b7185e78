#include "cli/top.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"

namespace pawl::cli {

namespace {

std::int64_t sum_of(const Json& items, const std::string& name) {
  std::int64_t sum = 0;
  for (const auto& item : items) sum += number_at(item, name);
  return sum;
}

double seconds_between(const Look& before, const Look& now) {
  return std::chrono::duration<double>(now.at - before.at).count();
}

std::optional<double> per_second(const std::optional<Look>& before, const Look& now,
                                 const std::string& total) {
  if (!before || seconds_between(*before, now) <= 0) return std::nullopt;
  const auto difference = sum_of(now.workers, total) - sum_of(before->workers, total);
  return static_cast<double>(difference) / seconds_between(*before, now);
}

std::string rate(const std::optional<Look>& before, const Look& now, const std::string& total) {
  const auto rate = per_second(before, now, total);
  return rate ? fmt::format("{:.1f}/s", *rate) : "-";
}

const Json* queue_named(const Json& queues, const std::string& name) {
  for (const auto& queue : queues) {
    if (text_at(queue, "name") == name) return &queue;
  }
  return nullptr;
}

// Change of the number of waiting tasks since the earlier snapshot.
Cell change_of(const std::optional<Look>& before, const Json& queue) {
  const Json* old = before ? queue_named(before->queues, text_at(queue, "name")) : nullptr;
  if (old == nullptr) return {.text = "-"};
  const auto moved = number_at(queue.value("counts", Json::object()), "pending") -
                     number_at(old->value("counts", Json::object()), "pending");
  return {.text = fmt::format("{:+}", moved), .colour = moved > 0 ? Colour::yellow : Colour::green};
}

std::vector<std::string> queue_lines(const std::optional<Look>& before, const Look& now, bool colours) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& queue : now.queues) {
    const auto counts = queue.value("counts", Json::object());
    std::vector<Cell> row{{.text = shortened(text_at(queue, "name"), kNameWidth) +
                                   (queue.value("paused", false) ? " (paused)" : "")},
                          {.text = text_at(counts, "pending")},
                          change_of(before, queue)};
    for (const auto* name : {"scheduled", "blocked", "claimed", "running", "dead_letter"}) {
      row.push_back({.text = text_at(counts, name)});
    }
    row.push_back({.text = readable_duration(text_at(queue, "oldest_pending_age"))});
    rows.push_back(std::move(row));
  }
  return table_lines({{"QUEUE"},
                      {"PENDING", true},
                      {"CHANGE", true},
                      {"SCHEDULED", true},
                      {"BLOCKED", true},
                      {"CLAIMED", true},
                      {"RUNNING", true},
                      {"DEAD", true},
                      {"OLDEST", true}},
                     rows, colours);
}

std::vector<std::string> worker_lines(const Look& now, bool colours) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& worker : now.workers) {
    const auto status = text_at(worker, "status");
    const auto id = text_at(worker, "worker_id");
    rows.push_back({{.text = id.empty() ? text_at(worker, "id") : id},
                    {.text = status, .colour = colour_of_status(status)},
                    {.text = text_at(worker, "active_count")},
                    {.text = text_at(worker, "max_concurrent")},
                    {.text = text_at(worker, "total_completed")},
                    {.text = text_at(worker, "total_failed")}});
  }
  return table_lines(
      {{"WORKER"}, {"STATUS"}, {"ACTIVE", true}, {"MOST", true}, {"COMPLETED", true}, {"FAILED", true}}, rows,
      colours);
}

core::Result<Json> items_of(core::Result<client::HttpAnswer> answer) {
  if (!answer) return answer.problem();
  auto json = json_of(*answer);
  if (!json) return json;
  return json->is_object() ? json->value("items", Json::array()) : Json::array();
}

core::Result<Look> look(Session& session, core::Clock& clock) {
  auto queues = items_of(session.get("/queues"));
  if (!queues) return queues.problem();
  auto workers = items_of(session.get("/workers"));
  if (!workers && workers.problem().code == core::ProblemCode::not_found)
    workers = Json::array();  // the server has no workers
  if (!workers) return workers.problem();
  return Look{.at = clock.monotonic(), .queues = *std::move(queues), .workers = *std::move(workers)};
}

void show(const std::optional<Look>& before, const Look& now, Context& context, const Input& input) {
  if (input.has("--json")) return context.out.line(frame_json(before, now));
  for (const auto& line : frame_lines(before, now, context.out.colours())) context.out.line(line);
}

// On a terminal each frame replaces the last one; in a pipe the frames follow each other.
void begin_frame(bool is_first, Context& context, const Input& input) {
  if (input.has("--json")) return;
  if (context.out.is_terminal()) {
    context.out.clear_screen();
    context.out.line(context.out.painted("pawl top (Ctrl-C ends)", Colour::dim));
  } else if (!is_first) {
    context.out.line("");
  }
}

core::Status live(Session& session, Context& context, const Input& input) {
  const Interrupts interrupts;
  std::optional<Look> before;
  do {
    auto now = look(session, context.clock);
    if (!now) return now.problem();
    begin_frame(!before, context, input);
    show(before, *now, context, input);
    context.out.flush();
    before = *std::move(now);
  } while (!interrupts.ended_within(std::chrono::seconds{1}));
  return core::Done{};
}

int top(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    if (!input.has("--once")) return live(session, context, input);
    const auto now = look(session, context.clock);
    if (!now) return now.problem();
    show(std::nullopt, *now, context, input);
    return core::Done{};
  });
}

}  // namespace

std::vector<std::string> frame_lines(const std::optional<Look>& before, const Look& now, bool colours) {
  std::vector<std::string> lines{
      fmt::format("{} queues, {} workers, completed {}, failed {}", now.queues.size(), now.workers.size(),
                  rate(before, now, "total_completed"), rate(before, now, "total_failed")),
      ""};
  const auto add = [&lines](std::vector<std::string> more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  add(queue_lines(before, now, colours));
  if (!now.workers.empty()) {
    lines.emplace_back();
    add(worker_lines(now, colours));
  }
  return lines;
}

std::string frame_json(const std::optional<Look>& before, const Look& now) {
  const auto rate_json = [&](const char* total) {
    const auto rate = per_second(before, now, total);
    return rate ? Json(*rate) : Json();
  };
  return Json{{"queues", now.queues},
              {"workers", now.workers},
              {"completed_per_second", rate_json("total_completed")},
              {"failed_per_second", rate_json("total_failed")}}
      .dump();
}

std::vector<Command> top_commands() {
  return {{.path = "top",
           .summary = "Watch queues and workers live",
           .flags = with_server_flags(
               {{.name = "--once", .summary = "One look, then end", .kind = ValueKind::none}}),
           .example = "pawl top",
           .handler = top}};
}

}  // namespace pawl::cli
