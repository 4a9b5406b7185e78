#include "cli/doctor.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/file_modes.hpp"
#include "cli/findings.hpp"
#include "cli/session.hpp"
#include "cli/store_option.hpp"
#include "client/migrate_store.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

std::optional<core::TimePoint> parse_http_date(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return core::TimePoint{std::chrono::seconds{timegm(&parts)}};
}

Finding clock_finding(const std::string& date_header, core::TimePoint now) {
  constexpr auto kSkewMax = std::chrono::seconds{5};
  Finding finding{.check = "clock"};
  const auto date = parse_http_date(date_header);
  if (!date) {
    finding.verdict = Verdict::warning;
    finding.seen = "the server sends no date";
    finding.advice = "a proxy may remove the Date header; compare the clocks manually";
    return finding;
  }
  const auto skew = now > *date ? now - *date : *date - now;
  finding.seen = fmt::format("{} {} the server", short_duration(skew), now > *date ? "ahead of" : "behind");
  if (skew <= kSkewMax) {
    finding.seen = "in step with the server";
  } else {
    finding.verdict = Verdict::warning;
    finding.advice =
        "synchronize both clocks with NTP: leases use the store's clock, times on the command line use this "
        "machine's";
  }
  return finding;
}

namespace {

Finding not_ok(std::string check, std::string seen, std::string advice) {
  return {.check = std::move(check),
          .verdict = Verdict::failed,
          .seen = std::move(seen),
          .advice = std::move(advice)};
}

Finding ready_finding(Session& session) {
  const auto answer = session.look_at("/readyz");
  if (answer && answer->status < 300)
    return {.check = "ready", .seen = "the store can be reached, its schema is current"};
  return not_ok("ready", answer ? client::problem_of(*answer).detail : answer.problem().detail,
                "look at the server's log, then `pawl migrate --status --store …`");
}

Finding version_finding(Session& session) {
  const auto answer = session.look_at("/openapi.json");
  const auto json = answer && answer->status < 300 ? json_of(*answer) : core::Result<Json>{Json::object()};
  const auto info = json && json->is_object() ? json->value("info", Json::object()) : Json::object();
  const auto version = text_at(info, "version");
  if (version == PAWL_VERSION) return {.check = "version", .seen = version + ", as this program"};
  return {.check = "version",
          .verdict = Verdict::warning,
          .seen = fmt::format("the server {}, this program " PAWL_VERSION,
                              version.empty() ? "does not say" : "has " + version),
          .advice = "use the same version on both sides"};
}

Finding access_finding(Session& session, const std::string& ns) {
  const auto answer = session.get("/queues");
  if (answer) return {.check = "access", .seen = "may read namespace " + ns};
  return not_ok("access", answer.problem().detail,
                "set PAWL_TOKEN (or --token-file) to one that is valid for this namespace");
}

Finding schema_finding(const client::StoreAddress& address) {
  const auto states = client::store_migrations(address);
  const auto pending =
      std::count_if(states.begin(), states.end(), [](const auto& state) { return !state.applied_at; });
  if (pending == 0)
    return {.check = "schema", .seen = fmt::format("{} migrations, all applied", states.size())};
  return not_ok("schema", fmt::format("{} migrations are pending", pending), "run `pawl migrate --store …`");
}

// Skips checks of data that the token's role may not read.
template <typename Look>
void look_deeper(Session& session, const char* path, const Look& look) {
  const auto answer = session.get(path);
  const auto json = answer ? json_of(*answer) : core::Result<Json>{answer.problem()};
  if (json) look(*json);
}

constexpr int kSleepersMax = 50;  // checked, with one request each

// Sleeping runs with a timer are left out, because the timer wakes them.
std::vector<Json> sleepers_without_timer(Session& session) {
  std::vector<Json> runs;
  look_deeper(session, fmt::format("/runs?state=sleeping&limit={}", kSleepersMax).c_str(),
              [&](const Json& page) {
                for (const Json& run : page.value("items", Json::array())) {
                  if (!run.value("wake_at", Json()).is_null()) continue;
                  look_deeper(session, ("/runs/" + text_at(run, "id") + "?include=tasks").c_str(),
                              [&](const Json& whole) { runs.push_back(whole); });
                }
              });
  return runs;
}

void look_at_work(Session& session, std::vector<Finding>& findings) {
  const auto add = [&](Finding finding) { findings.push_back(std::move(finding)); };
  Json workers = Json::object();
  look_deeper(session, "/workers", [&](const Json& seen) { workers = seen; });
  look_deeper(session, "/queues", [&](const Json& queues) {
    for (Finding& finding : lag_findings(queues, workers)) add(std::move(finding));
  });
  add(sleepers_finding(sleepers_without_timer(session)));
  const auto metrics = session.look_at("/metrics");
  if (metrics && metrics->status < 300) {
    add(leases_finding(metrics->body));
    add(damage_finding(metrics->body));
  }
  look_deeper(session, "/v1/admin/nodes", [&](const Json& nodes) { add(nodes_finding(nodes)); });
  look_deeper(session, "/v1/admin/vitals", [&](const Json& vitals) {
    for (Finding& finding : store_findings(vitals)) add(std::move(finding));
  });
}

std::vector<Finding> look_at_server(Session& session, const std::string& ns, Context& context,
                                    bool& reached) {
  const auto health = session.look_at("/healthz");
  reached = health.ok();
  if (!reached) {
    return {not_ok("server", health.problem().detail,
                   "start one with `pawl serve`, or set PAWL_ADDRESS (or --address) to where it is")};
  }
  std::vector<Finding> findings{{.check = "server", .seen = "reached"}};
  if (health->status >= 300) {
    return {not_ok("server", fmt::format("answers /healthz with status {}", health->status),
                   "this address is probably not a Pawl server's")};
  }
  findings.push_back(ready_finding(session));
  findings.push_back(version_finding(session));
  const auto date = health->headers.find("date");
  findings.push_back(clock_finding(date == health->headers.end() ? "" : date->second, context.clock.now()));
  findings.push_back(access_finding(session, ns));
  look_at_work(session, findings);
  return findings;
}

std::string_view name_of(Verdict verdict) {
  if (verdict == Verdict::ok) return "ok";
  return verdict == Verdict::warning ? "warning" : "failed";
}

void print_findings(const std::vector<Finding>& findings, const Input& input, Context& context) {
  for (const auto& finding : findings) {
    if (input.has("--json")) {
      context.out.line(client::ObjectText{}
                           .text("check", finding.check)
                           .text("verdict", name_of(finding.verdict))
                           .text("seen", finding.seen)
                           .text("advice", finding.advice)
                           .str());
      continue;
    }
    const auto colour = finding.verdict == Verdict::ok        ? Colour::green
                        : finding.verdict == Verdict::warning ? Colour::yellow
                                                              : Colour::red;
    const auto verdict = fmt::format("{:<8}", name_of(finding.verdict));
    context.out.line(
        fmt::format("{} {:<12} {}", context.out.painted(verdict, colour), finding.check, finding.seen));
    if (!finding.advice.empty()) context.out.line(fmt::format("{:22}-> {}", "", finding.advice));
  }
}

int doctor(Context& context, const Input& input) {
  const auto target = target_of(input);
  if (!target) return context.out.problem("pawl doctor", target.problem());
  Session session{*target, input.text("--namespace"), context.random};
  bool reached = false;
  auto findings = look_at_server(session, input.text("--namespace"), context, reached);
  if (input.has("--store")) {
    const auto address = store_named(context, input.text("--store"));
    if (!address) return context.out.problem("pawl doctor", address.problem());
    findings.push_back(schema_finding(*address));
    if (address->type == client::StoreType::sqlite)
      findings.push_back(files_finding(store_file_modes(address->location)));
  }
  print_findings(findings, input, context);
  if (!reached) return core::kind_of(core::ProblemCode::unavailable).exit_code;
  const bool all_well = std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Verdict::failed;
  });
  return all_well ? 0 : 1;
}

}  // namespace

Command doctor_command() {
  return {.path = "doctor",
          .summary = "Check the server, clocks, queues and store, and recommend fixes",
          .flags = with_server_flags({{.name = "--store",
                                       .value = "STORE",
                                       .summary = "Also check this store's schema and the modes of its files",
                                       .variable = "PAWL_STORE"}}),
          .example = "pawl doctor --store sqlite:pawl.db",
          .handler = doctor};
}

}  // namespace pawl::cli
