// pawl dev: a server and a worker for shell handlers, started again when they die, as one command to try
// things with. Loopback only; the data stay in a folder.

#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/serve_options.hpp"
#include "cli/store_api.hpp"
#include "cli/supervise.hpp"
#include "cli/token_keeper.hpp"
#include "core/problem.hpp"
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
    if (const core::Status started = start_worker(); !started)
      return context_.out.problem("pawl dev", started.problem());
    supervise(signals);
    // The worker first: it still has to report what it ended.
    if (worker_) stop_worker(signals);
    server_->stop();
    return_token();
    return 0;
  }

 private:
  core::Status start_server(const std::string& listen) {
    server_rest_.started();
    auto child = Child::start({"serve", "--listen", listen, "--store", store_, "--log-level", "warning"});
    if (!child) return child.problem();
    const std::string line = child->read_line();
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

  // From the first token on the worker needs one too. It gets its own, which goes with this process; the
  // first one it is not, as that would close the server to everybody else.
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
      context_.out.warn(
          fmt::format("every call needs a token: the worker has one of its own, {}", token_id_));
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
    context_.out.fields({{"server", {.text = address_, .colour = Colour::cyan}},
                         {"data", {.text = input_.text("--data")}},
                         {"process", {.text = fmt::format("{} (kill -9 it: it comes back)", server_->pid())}},
                         {"stop", {.text = "Ctrl-C"}}});
    context_.out.flush();
  }

  // Until a signal to end.
  void supervise(const sigset_t& signals) {
    while (sigtimedwait(&signals, nullptr, &kLookEvery) < 0) {
      if (server_->has_ended() && server_rest_.is_over())
        revive("server", start_server(address_.substr(address_.rfind('/') + 1)));
      if (worker_ && worker_->has_ended() && worker_rest_.is_over()) revive("worker", start_worker());
    }
  }

  // What runs may finish, unless the user asks again.
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
  std::string token_;  // of the worker; empty: none was needed, or the environment has one
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
       {.name = "--data", .value = "FOLDER", .summary = "Where the data stay", .fallback = ".pawl"}});
  return {{.path = "dev",
           .summary = "A server and a worker to try things with, data in ./.pawl",
           .flags = std::move(flags),
           .example = "pawl dev --handle 'email.send=./send.sh'",
           .handler = dev}};
}

}  // namespace pawl::cli
