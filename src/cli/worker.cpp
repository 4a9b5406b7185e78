// pawl worker: runs handlers; lists and drains workers.

#include "worker/worker.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"
#include "core/base/limits.hpp"

namespace pawl::cli {

namespace {

std::vector<Cell> worker_row(const Json& worker, Context& context) {
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

int list_workers(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.get("/workers");
    if (!answer) return answer.problem();
    if (!Json::accept(answer->body)) return json_of(*answer).problem();
    std::vector<std::vector<Cell>> rows;
    for (const auto item : client::raw_elements(client::raw_member(answer->body, "items").value_or("[]"))) {
      if (input.has("--json")) context.out.line(client::one_line(item));
      rows.push_back(worker_row(Json::parse(item), context));
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

core::Result<worker::Handlers> handlers_of(const Input& input) {
  worker::Handlers handlers;
  for (const auto& rule : input.all("--handle")) {
    if (auto added = handlers.add_shell(rule); !added) return added.problem();
  }
  for (const auto& rule : input.all("--handle-http")) {
    if (auto added = handlers.add_http(rule); !added) return added.problem();
  }
  if (handlers.empty()) return core::invalid_field("handle", "a worker needs --handle or --handle-http");
  return handlers;
}

core::Result<worker::WorkerOptions> options_of(const Context& context, const Input& input) {
  auto server = checked_target_of(input);
  if (!server) return server.problem();
  worker::WorkerOptions options{.server = *server,
                                .ns = input.text("--namespace"),
                                .queues = input.all("--queue"),
                                .concurrency = static_cast<int>(input.integer("--concurrency")),
                                .lease = input.duration("--lease"),
                                .drain_timeout = input.duration("--drain-timeout"),
                                .allow_private = input.has("--allow-private"),
                                .version = PAWL_VERSION};
  constexpr int kConcurrencyMax = 1'000;  // each is a thread
  if (options.concurrency < 1 || options.concurrency > kConcurrencyMax) {
    return core::invalid_field("concurrency", fmt::format("must be from 1 to {}", kConcurrencyMax));
  }
  if (options.lease < std::chrono::seconds{1} || options.lease > core::kLeaseMax) {
    return core::invalid_field("lease", "must be from 1s to 24h");
  }
  for (const auto& [name, value] : context.environment) {
    if (worker::is_for_handlers(name)) options.environment.push_back(name + "=" + value);
  }
  return options;
}

int work(Context& context, const Input& input) {
  auto handlers = handlers_of(input);
  if (!handlers) return context.out.problem("pawl worker", handlers.problem());
  auto options = options_of(context, input);
  if (!options) return context.out.problem("pawl worker", options.problem());
  worker::Worker worker{*std::move(options), *std::move(handlers), context.clock, context.random,
                        [&](const std::string& text) { context.out.say(text); }};
  const auto ended = worker.run();
  return ended ? 0 : tell_refusal(context, "pawl worker", ended.problem());
}

std::vector<Flag> work_flags() {
  auto flags = handler_flags();
  flags.insert(
      flags.end(),
      {{.name = "--handle-http",
        .value = "TYPE=URL",
        .summary = "Post tasks of this type to an address",
        .repeated = true},
       {.name = "--lease",
        .value = "TIME",
        .summary = "Lease of a claimed task: without a heartbeat for this long, another worker can claim it",
        .kind = ValueKind::duration,
        .fallback = "30s"},
       {.name = "--drain-timeout",
        .value = "TIME",
        .summary = "How long SIGTERM waits for what runs",
        .kind = ValueKind::duration,
        .fallback = "30s"},
       {.name = "--log-format",
        .value = "FORMAT",
        .summary = "Of the lines on standard error",
        .fallback = "text",
        .choices = {"text", "json"},
        .variable = "PAWL_LOG_FORMAT"},
       {.name = "--allow-private",
        .summary = "Let --handle-http reach private addresses",
        .kind = ValueKind::none}});
  return flags;
}

}  // namespace

std::vector<Flag> handler_flags() {
  return {{.name = "--queue",
           .value = "NAME",
           .summary = "Claim from this queue",
           .fallback = "default",
           .repeated = true},
          {.name = "--handle",
           .value = "TYPE=COMMAND",
           .summary = "Run a program for tasks of this type (mail.* for all that begin so); it does not see "
                      "PAWL_TOKEN, PAWL_STORE and the other settings of Pawl",
           .repeated = true},
          {.name = "--concurrency",
           .value = "N",
           .summary = "Tasks at once",
           .kind = ValueKind::integer,
           .fallback = "4"}};
}

std::vector<Command> worker_commands() {
  return {{.path = "worker",
           .summary = "Run handlers for tasks; see and drain workers",
           .flags = with_server_flags(work_flags()),
           .example = "pawl worker --queue default --handle 'email.send=./send.sh'",
           .handler = work},
          {.path = "worker list",
           .summary = "List workers",
           .flags = server_flags(),
           .example = "pawl worker list",
           .handler = list_workers},
          {.path = "worker drain",
           .summary = "Give a worker no more tasks; it ends what it has",
           .arguments = {{.name = "ID", .summary = "The worker's id"}},
           .flags = server_flags(),
           .example = "pawl worker drain web-1:4711",
           .handler = drain}};
}

}  // namespace pawl::cli
