// pawl worker: list, drain, and the worker that runs handlers.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

std::vector<Cell> list_row(const Json& worker, Context& context) {
  const auto status = text_at(worker, "status");
  const auto id = text_at(worker, "worker_id");
  const auto seen = core::parse_time(text_at(worker, "heartbeat_at"));
  return {{.text = id.empty() ? text_at(worker, "id") : id},
          {.text = status, .colour = colour_of_status(status)},
          {.text = text_at(worker, "hostname")},
          {.text = text_at(worker, "pid")},
          {.text = fmt::format("{}/{}", text_at(worker, "active_count"), text_at(worker, "max_concurrent"))},
          {.text = text_at(worker, "total_completed")},
          {.text = text_at(worker, "total_failed")},
          {.text = seen ? relative_time(*seen, context.clock.now()) : ""}};
}

int list(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.get("/workers");
    if (!answer) return answer.problem();
    if (!Json::accept(answer->body)) return json_of(*answer).problem();
    std::vector<std::vector<Cell>> rows;
    for (const auto item : client::raw_elements(client::raw_member(answer->body, "items").value_or("[]"))) {
      if (input.has("--json")) context.out.line(client::one_line(item));
      rows.push_back(list_row(Json::parse(item), context));
    }
    if (input.has("--json")) return core::Done{};
    context.out.table({{"WORKER"},
                       {"STATUS"},
                       {"HOST"},
                       {"PID", true},
                       {"ACTIVE", true},
                       {"COMPLETED", true},
                       {"FAILED", true},
                       {"SEEN"}},
                      rows);
    return core::Done{};
  });
}

int drain(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto id = input.text("ID");
    const auto answer = session.post("/workers/" + client::percent_encoded(id) + "/drain", "");
    if (!answer) return answer.problem();
    context.out.line(input.has("--json") ? client::one_line(answer->body)
                                         : "Worker " + id + " is draining: it gets no more tasks.");
    return core::Done{};
  });
}

}  // namespace

std::vector<Command> worker_commands() {
  return {{.path = "worker list",
           .summary = "List workers",
           .flags = server_flags(),
           .example = "pawl worker list",
           .handler = list},
          {.path = "worker drain",
           .summary = "Give a worker no more tasks; it ends what it has",
           .arguments = {{.name = "ID", .summary = "The worker's id"}},
           .flags = server_flags(),
           .example = "pawl worker drain web-1:4711",
           .handler = drain}};
}

}  // namespace pawl::cli
