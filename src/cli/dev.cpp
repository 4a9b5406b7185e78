// pawl dev: runs a server and a worker for shell handlers, and restarts them when they die. For trying Pawl;
// it listens on loopback only and keeps its data in a folder.

#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/serve_options.hpp"
#include "cli/store_api.hpp"
#include "cli/supervise.hpp"
#include "cli/token_keeper.hpp"
#include "core/base/problem.hpp"
#include "runtime/guarded.hpp"

namespace pawl::cli {

namespace {

constexpr std::string_view kServesAt = "Pawl serves at ";
constexpr timespec kLookEvery{.tv_sec = 0, .tv_nsec = 500'000'000};

sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT}) sigaddset(&signals, number);
  return signals;
}

class Dev {
 public:
  Dev(Context& context, const Input& input)
      : context_(context),
        input_(input),
        store_("sqlite:" + (std::filesystem::path{input.text("--data")} / "pawl.db").string()),
        server_rest_(context.clock),
        worker_rest_(context.clock) {}

  int run() {
    const sigset_t signals = end_signals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    if (const core::Status started = start_server(input_.text("--listen")); !started)
      return context_.out.problem("pawl dev", started.problem());
    say_where();
    const core::Status started = start_worker();
    const int exit_code = started ? 0 : context_.out.problem("pawl dev", started.problem());
    if (started) supervise(signals);
    // The worker first, because it must still report its last results.
    if (worker_) stop_worker(signals);
    server_->stop();
    return_token();
    return exit_code;
  }

 private:
  core::Status start_server(const std::string& listen) {
    server_rest_.started();
    auto child = Child::start({"serve", "--listen", listen, "--store", store_, "--log-level", "warning"});
    if (!child) return child.problem();
    std::string line = child->read_line();
    // With PAWL_LOG_FORMAT=json the line is an object.
    if (const Json event = Json::parse(line, nullptr, false); event.is_object())
      line = text_at(event, "what");
    if (!line.starts_with(kServesAt)) {
      return core::Problem{.code = core::ProblemCode::unavailable, .detail = "the server did not start"};
    }
    address_ = line.substr(kServesAt.size());
    server_ = *std::move(child);
    return core::Done{};
  }

  core::Status start_worker() {
    if (input_.all("--handle").empty()) return core::Done{};
    std::vector<std::string> words{"worker", "--address", address_, "--concurrency",
                                   input_.text("--concurrency")};
    for (const char* flag : {"--queue", "--handle"}) {
      for (const std::string& value : input_.all(flag)) words.insert(words.end(), {flag, value});
    }
    worker_rest_.started();
    if (const core::Status has_one = get_token(); !has_one) return has_one;
    std::vector<std::string> variables;
    if (!token_.empty()) variables.push_back("PAWL_TOKEN=" + token_);
    auto child = Child::start(std::move(words), std::move(variables));
    if (!child) return child.problem();
    worker_ = *std::move(child);
    return core::Done{};
  }

  // Once any token exists, the worker needs one too. It gets its own, which is revoked when this process
  // ends. If no token exists, none is made, because the first token closes the server to all other callers.
  core::Status get_token() {
    const auto given = context_.environment.find("PAWL_TOKEN");
    const bool has_one = !token_.empty() || (given != context_.environment.end() && !given->second.empty());
    if (has_one) return core::Done{};
    return runtime::guarded([&]() -> core::Status {
      const auto opened = StoreApi::open(context_, store_);
      if (!opened) return opened.problem();
      StoreTokens tokens{(*opened)->api()};
      bool is_needed = false;
      if (auto listed = tokens.each([&](std::string_view) { is_needed = true; }); !listed) return listed;
      if (!is_needed) return core::Done{};
      const auto made = tokens.create({.role = core::Role::worker, .namespaces = {"*"}, .name = "pawl dev"});
      if (!made) return made.problem();
      const auto token = Json::parse(*made);
      token_ = text_at(token, "token");
      token_id_ = text_at(token, "id");
      context_.out.warn(fmt::format("the store requires tokens: created token {} for the worker", token_id_));
      return core::Done{};
    });
  }

  void return_token() {
    if (token_id_.empty()) return;
    const auto returned = runtime::guarded([&]() -> core::Status {
      const auto opened = StoreApi::open(context_, store_);
      return opened ? StoreTokens{(*opened)->api()}.revoke(token_id_) : opened.problem();
    });
    if (!returned) context_.out.warn("the worker's token was not revoked: " + returned.problem().detail);
  }

  void say_where() {
    context_.out.fields(
        {{"server", {.text = address_, .colour = Colour::cyan}},
         {"data", {.text = input_.text("--data")}},
         {"process", {.text = fmt::format("{} (restarted automatically if it dies)", server_->pid())}},
         {"stop", {.text = "Ctrl-C"}}});
    context_.out.flush();
  }

  // Runs until an end signal.
  void supervise(const sigset_t& signals) {
    while (sigtimedwait(&signals, nullptr, &kLookEvery) < 0) {
      if (server_->has_ended() && server_rest_.is_over())
        revive("server", start_server(address_.substr(address_.rfind('/') + 1)));
      if (worker_ && worker_->has_ended() && worker_rest_.is_over()) revive("worker", start_worker());
    }
  }

  // Waits for the running handlers. A second signal ends them.
  void stop_worker(const sigset_t& signals) {
    worker_->signal(SIGTERM);
    bool has_said = false;
    while (!worker_->has_ended()) {
      if (sigtimedwait(&signals, nullptr, &kLookEvery) >= 0) {
        worker_->signal(SIGTERM);
      } else if (!has_said) {
        context_.out.warn("waiting for the handlers that still run; Ctrl-C again ends them");
        has_said = true;
      }
    }
  }

  void revive(std::string_view what, const core::Status& started) {
    context_.out.warn(started ? fmt::format("the {} died and was started again", what)
                              : fmt::format("the {} died: {}; trying again", what, started.problem().detail));
  }

  Context& context_;
  const Input& input_;
  std::string store_;
  std::string address_;
  std::string token_;  // the worker's; empty: none was needed, or the environment has one
  std::string token_id_;
  Rest server_rest_;
  Rest worker_rest_;
  std::optional<Child> server_;
  std::optional<Child> worker_;
};

int dev(Context& context, const Input& input) {
  const auto endpoint = parse_endpoint(input.text("--listen"));
  if (!endpoint) return context.out.problem("pawl dev", endpoint.problem());
  if (!server::is_loopback(endpoint->address)) {
    return context.out.problem(
        "pawl dev", core::invalid_field("listen", "must be a loopback address, such as 127.0.0.1:7717"));
  }
  std::error_code error;
  if (std::filesystem::create_directories(input.text("--data"), error)) {
    std::filesystem::permissions(input.text("--data"), std::filesystem::perms::owner_all, error);
  }
  if (error) return context.out.problem("pawl dev", core::invalid_field("data", error.message()));
  return Dev{context, input}.run();
}

}  // namespace

std::vector<Command> dev_commands() {
  auto flags = handler_flags();
  flags.insert(
      flags.begin(),
      {{.name = "--listen",
        .value = "ADDRESS:PORT",
        .summary = "Where to listen: loopback only; port 0 takes any free one",
        .fallback = "127.0.0.1:7717"},
       {.name = "--data", .value = "FOLDER", .summary = "Folder for the data", .fallback = ".pawl"}});
  return {{.path = "dev",
           .summary = "Run a server and a worker for development, with data in ./.pawl",
           .flags = std::move(flags),
           .example = "pawl dev --handle 'email.send=./send.sh'",
           .handler = dev}};
}

}  // namespace pawl::cli
