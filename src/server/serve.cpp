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

// The objects that handle requests. Later members use earlier ones.
struct Parts {
  store::Store& store;
  core::Clock& clock;
  core::Random& random;
  const ServeOptions& options;
  runtime::Runtime& runtime;
  HttpServer& http;
  Metrics& metrics;
  Log& log;

  void submit(core::Command command, core::Reply reply) const {
    const std::size_t bytes = core::largest_payload(command);
    if (bytes > options.payload_warn)
      log.write(LogLevel::warning, "large payload",
                {{"namespace", core::namespace_of(command)}, {"bytes", std::to_string(bytes)}});
    runtime.submit(std::move(command), std::move(reply));
  }
  void write_audit(std::vector<core::AuditEntry> entries) const {
    runtime.submit(audit_command(std::move(entries)), [](const core::Result<core::Answer>&) {});
  }

  Auth auth{runtime.api(), clock, options.auth};
  Denials denials{clock, http.later(),
                  [this](std::vector<core::AuditEntry> entries) { write_audit(std::move(entries)); }};
  EventStreams streams{options.streams};
  RequestRates rates{clock, options.rates};
  Places waits{{.what = "waiting calls", .setting = "limits.claims_waiting"}, options.waits};
  QueueWatch queue_watch{runtime.api(), auth, http.blocking(), http.later()};
  RunWatch run_watch{runtime.local(),
                     runtime.engine().run_watch(),
                     auth,
                     {.blocking = http.blocking(), .later = http.later()}};
  RevocationWatch revocations{auth, http.blocking(), http.later()};
  Readiness readiness{runtime.local(),
                      [this] { return runtime::check_progress(runtime.progress(), clock.monotonic()); },
                      http.blocking(), http.later()};
  Dispatch dispatch{services(),
                    clock,
                    random,
                    log,
                    {.hosts = host_names(options.hosts, options.http.address),
                     .body_max = options.body_max,
                     .calls_waiting_max = calls_waiting_max(options.http.limits)}};

  [[nodiscard]] Services services() {
    const auto submits = [this](core::Command command, core::Reply reply) {
      submit(std::move(command), std::move(reply));
    };
    return {.api = runtime.api(),
            .runs = runtime.local(),
            .local = runtime.local(),
            .auth = auth,
            .submit = submits,
            .engine = runtime.engine(),
            .store = store,
            .metrics = metrics,
            .denials = denials,
            .streams = streams,
            .rates = rates,
            .waits = waits,
            .queue_watch = queue_watch,
            .run_watch = run_watch,
            .revocations = revocations,
            .readiness = readiness,
            .blocking = http.blocking(),
            .version = options.version,
            .lease_default = options.lease_default,
            .answers_kept = options.answers_kept};
  }
};

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
    Parts parts{.store = store,
                .clock = clock,
                .random = random,
                .options = options,
                .runtime = runtime,
                .http = http,
                .metrics = metrics,
                .log = log};
    http.start(parts.dispatch);
    log.write(LogLevel::info, "serving",
              {{"port", std::to_string(http.port())},
               {"node", runtime.membership().node_id()},
               {"version", options.version}});
    ready({.port = http.port(), .bootstrap_token = *std::move(bootstrap_token)});

    const int signal = wait_for_end(signals, options.http.tls.is_on(), http, log);
    log.write(LogLevel::info, "stopping", {{"signal", std::to_string(signal)}});
    limit.begin(options.stop_time + options.end_time);
    http.stop_accepting();
    parts.run_watch.stop_waiting();
    http.wait_for_connections(options.stop_time, [&runtime] { runtime.engine().abandon_waits(); });
    http.stop();  // its threads use objects destroyed below
    parts.denials.flush();
  }
  log.write(LogLevel::info, "stopped");
  return 0;
}

}  // namespace pawl::server
