// pawl queue: lists queues and sets their limits.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

std::string limits_of(const Json& queue) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const auto most = text_at(queue, "max_concurrency"); !most.empty()) add(most + " at once");
  const auto types = queue.value("type_concurrency", Json::object());
  if (types.is_object()) {
    for (const auto& [type, most] : types.items()) add(fmt::format("{} of {}", most.dump(), type));
  }
  const auto rate = queue.value("rate", Json());
  if (rate.is_object()) add(fmt::format("{}/{}", text_at(rate, "limit"), text_at(rate, "per")));
  return text;
}

std::vector<Cell> queue_row(const Json& queue) {
  const auto counts = queue.value("counts", Json::object());
  const bool paused = queue.value("paused", false);
  std::vector<Cell> row{
      {.text = shortened(text_at(queue, "name"), kNameWidth)},
      {.text = paused ? "paused" : "open", .colour = paused ? Colour::yellow : Colour::green}};
  for (const auto* name : {"pending", "scheduled", "blocked", "claimed", "running"}) {
    row.push_back({.text = text_at(counts, name)});
  }
  const auto dead = text_at(counts, "dead_letter");
  row.push_back({.text = dead, .colour = dead == "0" ? Colour::none : Colour::red});
  row.push_back({.text = readable_duration(text_at(queue, "oldest_pending_age"))});
  row.push_back({.text = limits_of(queue)});
  return row;
}

int list_queues(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.get("/queues");
    if (!answer) return answer.problem();
    if (!Json::accept(answer->body)) return json_of(*answer).problem();
    std::vector<std::vector<Cell>> rows;
    for (const auto item : client::raw_elements(client::raw_member(answer->body, "items").value_or("[]"))) {
      if (input.has("--json")) {
        context.out.line(client::one_line(item));
      } else {
        rows.push_back(queue_row(Json::parse(item)));
      }
    }
    if (input.has("--json")) return core::Done{};
    context.out.table({{"QUEUE"},
                       {"STATE"},
                       {"PENDING", true},
                       {"SCHEDULED", true},
                       {"BLOCKED", true},
                       {"CLAIMED", true},
                       {"RUNNING", true},
                       {"DEAD", true},
                       {"OLDEST", true},
                       {"LIMITS"}},
                      rows);
    return core::Done{};
  });
}

bool is_count(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

// The API's form of "100/1s"; null for "none".
core::Result<std::string> rate_text(const std::string& text) {
  if (text == "none") return std::string{"null"};
  const auto slash = text.find('/');
  const std::string limit = text.substr(0, slash);
  const std::string per = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (!is_count(limit) || !core::parse_duration(per)) {
    return core::invalid_field("rate", "must be COUNT/TIME such as 100/1s, or none, not '" + text + "'");
  }
  return client::ObjectText{}.raw("limit", std::to_string(std::stoll(limit))).text("per", per).str();
}

core::Result<std::string> concurrency_text(const std::string& text) {
  if (text == "none") return std::string{"null"};
  if (is_count(text)) return std::to_string(std::stoll(text));
  return core::invalid_field("max_concurrency", "must be a number or none, not '" + text + "'");
}

core::Result<std::string> set_body(const Input& input) {
  client::ObjectText body;
  if (input.has("--paused") && input.has("--no-paused")) {
    return core::invalid_field("paused", "--paused and --no-paused exclude each other");
  }
  if (input.has("--paused")) body.raw("paused", input.text("--paused"));
  if (input.has("--no-paused")) body.raw("paused", "false");
  if (input.has("--max-concurrency")) {
    auto most = concurrency_text(input.text("--max-concurrency"));
    if (!most) return most;
    body.raw("max_concurrency", *most);
  }
  if (input.has("--rate")) {
    auto rate = rate_text(input.text("--rate"));
    if (!rate) return rate;
    body.raw("rate", *rate);
  }
  if (body.str() == "{}") {
    return core::invalid_field("queue",
                               "nothing to set: give --paused, --no-paused, --max-concurrency or --rate");
  }
  return body.str();
}

int set(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto body = set_body(input);
    if (!body) return body.problem();
    const auto answer = session.put("/queues/" + client::percent_encoded(input.text("NAME")), *body);
    if (!answer) return answer.problem();
    if (input.has("--json") && !answer->body.empty()) {
      context.out.line(client::one_line(answer->body));
    } else if (!input.has("--json")) {
      context.out.line(fmt::format("Queue {} is set: {}", input.text("NAME"), *body));
    }
    return core::Done{};
  });
}

}  // namespace

std::vector<Command> queue_commands() {
  return {{.path = "queue list",
           .summary = "List queues with what is in them",
           .flags = server_flags(),
           .example = "pawl queue list",
           .handler = list_queues},
          {.path = "queue set",
           .summary = "Pause a queue or set its limits; they hold over all workers together",
           .arguments = {{.name = "NAME", .summary = "The queue"}},
           .flags = with_server_flags(
               {{.name = "--paused",
                 .summary = "Stop claims from this queue; --paused=false resumes them",
                 .kind = ValueKind::boolean},
                {.name = "--no-paused", .summary = "The same as --paused=false", .kind = ValueKind::none},
                {.name = "--max-concurrency",
                 .value = "N",
                 .summary = "Maximum number of concurrent tasks; none: no limit"},
                {.name = "--rate",
                 .value = "N/TIME",
                 .summary = "Maximum claims per time, such as 100/1s; none: no limit"}}),
           .example = "pawl queue set mail --max-concurrency 20 --rate 100/1s",
           .handler = set}};
}

}  // namespace pawl::cli
