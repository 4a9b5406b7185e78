#include "server/serve.hpp"

#include <csignal>

#include "runtime/runtime.hpp"
#include "server/dispatch.hpp"

namespace pawl::server {

namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kStopTime = seconds{10};

// Signals are taken by waiting for them, not by a handler: nothing has to be safe inside one.
sigset_t blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

std::vector<std::string> hosts_of(const HttpOptions& http) {
  const bool is_loopback = http.address.starts_with("127.") || http.address == "::1";
  if (!is_loopback) return {};  // tokens guard it there, and it may go by any name
  return {http.address, "127.0.0.1", "localhost", "[::1]"};
}

}  // namespace

core::Result<int> serve(store::Store& store, core::Clock& clock, core::Random& random,
                        const ServeOptions& options, const std::function<void(std::uint16_t)>& ready) {
  const sigset_t signals = blocked_signals();  // before any thread is made, so that all inherit it
  Log log{clock, options.log};
  Metrics metrics;
  HttpServer http{options.http, metrics};
  if (const core::Status listening = http.listen(); !listening) return listening.problem();
  {
    runtime::Runtime runtime{store,
                             clock,
                             random,
                             {.waiting_claims_max = options.waiting_claims_max,
                              .node = {.version = options.version, .leader_ttl = options.leader_ttl}}};
    const auto submit = [&runtime](core::Command command, core::Reply reply) {
      runtime.submit(std::move(command), std::move(reply));
    };
    Auth auth{runtime.api(), clock, options.serves_anyone};
    Dispatch dispatch{{.api = runtime.api(),
                       .local = runtime.local(),
                       .auth = auth,
                       .submit = submit,
                       .engine = runtime.engine(),
                       .store = store,
                       .metrics = metrics,
                       .blocking = http.blocking(),
                       .version = options.version},
                      clock,
                      random,
                      log,
                      {.hosts = hosts_of(options.http)}};
    http.start(dispatch);
    log.write(LogLevel::info, "serving",
              {{"port", std::to_string(http.port())}, {"version", options.version}});
    ready(http.port());

    int signal = 0;
    sigwait(&signals, &signal);
    log.write(LogLevel::info, "stopping", {{"signal", std::to_string(signal)}});
    http.stop_accepting();
    http.wait_for_connections(kStopTime, [&runtime] { runtime.engine().abandon_waits(); });
    http.stop();  // its threads call what ends here
  }
  log.write(LogLevel::info, "stopped");
  return 0;
}

}  // namespace pawl::server
