#include "server/serve.hpp"

#include <algorithm>
#include <csignal>

#include "runtime/runtime.hpp"
#include "server/bootstrap.hpp"
#include "server/dispatch.hpp"
#include "server/stop_limit.hpp"
#include "server/thread_check.hpp"

namespace pawl::server {

namespace {

// Signals are awaited with sigwait instead of a handler, so no code has to be async-signal-safe.
sigset_t blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void reload_certificate(HttpServer& http, Log& log) {
  const core::Status reloaded = http.reload_certificate();
  if (reloaded) {
    log.write(LogLevel::info, "read the certificate again");
  } else {
    log.write(LogLevel::error, "certificate reload failed, old certificate stays in use",
              {{"why", reloaded.problem().detail}});
  }
}

// Returns the terminating signal; SIGHUP does not terminate.
int wait_for_end(const sigset_t& signals, bool has_certificate, HttpServer& http, Log& log) {
  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal == SIGHUP) {
    if (has_certificate) reload_certificate(http, log);
  }
  return signal;
}

// A token sent without TLS can be intercepted.
core::Status check_exposure(const ServeOptions& options) {
  const bool is_safe =
      is_loopback(options.http.address) || options.auth.serves_anyone || options.http.tls.is_on();
  if (is_safe) return core::Done{};
  return core::invalid_field("tls.cert", options.http.address +
                                             " can be reached by others and needs a certificate and its key "
                                             "(or --insecure)");
}

// Protects a server without tokens that others can reach: with --insecure it logs a warning, otherwise it
// creates the first token.
core::Result<std::optional<std::string>> guard_first_start(const ServeOptions& options, core::Api& api,
                                                           Log& log) {
  if (is_loopback(options.http.address)) return std::optional<std::string>{};
  const auto tokens = api.list_tokens({.limit = 1});
  if (!tokens) return tokens.problem();
  if (!tokens->items.empty()) return std::optional<std::string>{};
  if (options.auth.serves_anyone && !options.auth.requires_token) {
    log.write(
        LogLevel::warning, "no token exists: every client that can reach this server is an admin",
        {{"address", options.http.address},
         {"advice", "pawl token create --store STORE --role admin --for '*', or start without --insecure"}});
    return std::optional<std::string>{};
  }
  auto token = create_bootstrap_token(api);
  if (!token) return token.problem();
  return std::optional{*std::move(token)};
}

// The threads of HTTP, of the runtime and of the stop limit.
int threads_of(const store::Store& store, const ServeOptions& options) {
  constexpr int kOfTheRuntime = 5;  // two of the ticker, and one each for replies, schedules and the inbox
  const int loops = options.runtime.loop.threads == 0 ? store.writers() : options.runtime.loop.threads;
  const int blocking = options.http.blocking.threads + options.http.blocking.vital_threads;
  return std::max(options.http.threads, 1) + blocking + loops + kOfTheRuntime + 1;
}

// Each waiting call occupies a connection, and one namespace must leave room for others.
std::size_t calls_waiting_max(const HttpLimits& limits) {
  return static_cast<std::size_t>(limits.connections_max + 1) / 2;
}

void log_step(Log& log, const core::ClockStep& step) {
  const bool is_back = step.by < core::Duration{0};
  log.write(LogLevel::warning, "the store's clock was set",
            {{"by", (is_back ? "-" : "") + core::format_duration(is_back ? -step.by : step.by)},
             {"at", core::format_time(step.at)},
             {"steps", std::to_string(step.number)}});
}

void log_findings(engine::Engine& engine, Log& log) {
  engine.on_damage([&log](const std::string& object, const std::string& why) {
    log.write(LogLevel::error, "damaged row", {{"object", object}, {"why", why}});
  });
  engine.on_clock_step([&log](const core::ClockStep& step) { log_step(log, step); });
}

CallSettings call_settings(const ServeOptions& options) {
  return {.auth = options.auth,
          .streams = options.streams,
          .waits = options.waits,
          .rates = options.rates,
          .payload_warn = options.payload_warn,
          .lease_default = options.lease_default,
          .answers_kept = options.answers_kept,
          .version = options.version};
}

}  // namespace

core::Result<int> serve(store::Store& store, core::Clock& clock, core::Random& random,
                        const ServeOptions& options, const std::function<void(const Serving&)>& ready) {
  const sigset_t signals = blocked_signals();  // before the first thread, so that all inherit the mask
  Log log{clock, options.log};
  Metrics metrics;
  if (const core::Status threads = check_threads(threads_of(store, options)); !threads)
    return threads.problem();
  HttpServer http{options.http, metrics, &log};
  StopLimit limit{log};
  {
    runtime::Runtime runtime{store, clock, random, options.runtime};
    log_findings(runtime.engine(), log);
    if (const core::Status allowed = check_exposure(options); !allowed) return allowed.problem();
    if (const core::Status listening = http.listen(); !listening) return listening.problem();
    auto bootstrap_token = guard_first_start(options, runtime.api(), log);
    if (!bootstrap_token) return bootstrap_token.problem();
    Server server{
        .api = runtime.local(),
        .submit = std::bind_front(&runtime::CommitLoop::submit, &runtime.commit_loop()),
        .engine = runtime.engine(),
        .store = store,
        .clock = clock,
        .metrics = metrics,
        .log = log,
        .blocking = http.blocking(),
        .later = http.later(),
        .check_progress = [&] { return runtime::check_progress(runtime.progress(), clock.monotonic()); },
        .settings = call_settings(options)};
    Dispatch dispatch{server,
                      random,
                      {.hosts = host_names(options.hosts, options.http.address),
                       .body_max = options.body_max,
                       .calls_waiting_max = calls_waiting_max(options.http.limits)}};
    http.start(dispatch);
    log.write(LogLevel::info, "serving",
              {{"port", std::to_string(http.port())},
               {"node", runtime.membership().node_id()},
               {"version", options.version}});
    ready({.port = http.port(), .bootstrap_token = *std::move(bootstrap_token)});

    const int signal = wait_for_end(signals, options.http.tls.is_on(), http, log);
    log.write(LogLevel::info, "stopping", {{"signal", std::to_string(signal)}});
    limit.begin(options.stop_time + options.end_time);
    http.stop_accepting();
    server.run_watch.stop_waiting();
    http.wait_for_connections(options.stop_time, [&runtime] { runtime.engine().abandon_waits(); });
    http.stop();  // its threads use objects destroyed below
    server.denials.flush();
  }
  log.write(LogLevel::info, "stopped");
  return 0;
}

}  // namespace pawl::server
