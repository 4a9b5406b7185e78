#include "tests/over_http/http_front.hpp"

#include <stdexcept>

namespace pawl::testing {

namespace {

std::uint16_t listening_port(server::HttpServer& http) {
  if (const core::Status listening = http.listen(); !listening)
    throw std::runtime_error{listening.problem().detail};
  return http.port();
}

}  // namespace

HttpFront::HttpFront(const Behind& behind, core::Clock& clock, core::Random& random,
                     const server::HttpOptions& options)
    : engine_(behind.engine),
      log_(clock, {.least = server::LogLevel::warning}),
      http_(options, metrics_, &log_),
      server_{.api = behind.api,
              .submit = behind.submit,
              .engine = behind.engine,
              .store = behind.store,
              .clock = clock,
              .metrics = metrics_,
              .log = log_,
              .blocking = http_.blocking(),
              .later = http_.later(),
              .check_progress = behind.check_progress,
              .settings = {.streams = behind.quotas.streams,
                           .waits = behind.quotas.waits,
                           .rates = behind.quotas.rates,
                           .version = "test"}},
      dispatch_(server_, random,
                {.hosts = {.names = {"127.0.0.1", "localhost"}},
                 .calls_waiting_max = behind.quotas.calls_waiting_max}),
      port_(listening_port(http_)),
      api_({.address = {.host = "127.0.0.1", .port = std::to_string(port_)}}, random) {
  http_.start(dispatch_);
}

HttpFront::~HttpFront() {
  http_.stop_accepting();
  server_.run_watch.stop_waiting();
  http_.wait_for_connections(std::chrono::seconds{10}, [this] { engine_.abandon_waits(); });
  http_.stop();
}

namespace {

// Sends the answer after the whole group is done, and not in the middle of its replies: the test continues
// when it receives the answer over the socket, and checks the answers of the rest of the group.
void submit_and_then_answer(DirectNode& node, core::Command command, core::Reply reply) {
  struct State {
    core::Reply reply;
    bool is_inside = true;
    std::optional<core::Result<core::Answer>> held = {};
  };
  const auto state =
      std::make_shared<State>(State{.reply = std::move(reply)});  // shared with a waiting claim
  node.submit(std::move(command), [state](core::Result<core::Answer> result) {
    if (state->is_inside) {
      state->held = std::move(result);
    } else {
      state->reply(std::move(result));
    }
  });
  state->is_inside = false;
  if (state->held) state->reply(std::move(*state->held));
}

}  // namespace

std::unique_ptr<Front> make_http_front(DirectNode& node, core::Clock& clock) {
  static SeededRandom random{11};  // for request ids: no result depends on it
  const auto submit = [&node](core::Command command, core::Reply reply) {
    submit_and_then_answer(node, std::move(command), std::move(reply));
  };
  return std::make_unique<HttpFront>(
      HttpFront::Behind{
          .api = node.local(), .submit = submit, .engine = node.engine(), .store = *node.store()},
      clock, random);
}

}  // namespace pawl::testing
