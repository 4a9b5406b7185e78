#include "server/metrics.hpp"

#include <fmt/format.h>

namespace pawl::server {

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string escaped(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(Out{out}, "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void one(std::string& out, std::string_view name, std::string_view type, std::string_view help,
         double value) {
  head(out, name, type, help);
  fmt::format_to(Out{out}, "{} {}\n", name, value);
}

double in_seconds(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

void add_engine(std::string& out, const Metrics::View& view) {
  const engine::EngineStats& stats = view.engine;
  const auto number = [](const std::atomic<std::int64_t>& value) {
    return static_cast<double>(value.load());
  };
  one(out, "pawl_commits_total", "counter", "Groups of commands committed", number(stats.groups));
  one(out, "pawl_commands_total", "counter", "Commands in those groups", number(stats.commands));
  one(out, "pawl_commit_seconds_total", "counter", "Time from load to commit",
      in_seconds(stats.group_micros));
  one(out, "pawl_groups_refused_total", "counter", "Groups that the store refused",
      number(stats.refused_groups));
  one(out, "pawl_leases_expired_total", "counter", "Leases that ran out or timed out",
      number(stats.leases_expired));
  head(out, "pawl_recovery_total", "counter", "Problems that recovery repaired, by check");
  const auto recovered = [&](std::string_view check, const std::atomic<std::int64_t>& count) {
    fmt::format_to(Out{out}, "pawl_recovery_total{{check=\"{}\"}} {}\n", check, count.load());
  };
  recovered("leases", stats.leases_expired);
  recovered("deadlines", stats.deadlines_passed);
  recovered("stuck", stats.runs_stuck);
  recovered("workers", stats.workers_lost);
  one(out, "pawl_erased_total", "counter", "Tasks, runs and audit entries deleted by retention",
      number(stats.erased));
  one(out, "pawl_tasks_set_aside_total", "counter",
      "Claimable tasks that cannot be read; each is tried again every hour", number(stats.tasks_set_aside));
  one(out, "pawl_runs_parked_total", "counter",
      "Runs that a timer or deadline could not move on; each is tried again after 10 minutes",
      number(stats.runs_parked));
  head(out, "pawl_clock_steps_total", "counter", "Times that the store's clock was set, by direction");
  fmt::format_to(Out{out}, "pawl_clock_steps_total{{direction=\"forward\"}} {}\n",
                 stats.clock_steps_forward.load());
  fmt::format_to(Out{out}, "pawl_clock_steps_total{{direction=\"back\"}} {}\n",
                 stats.clock_steps_back.load());
  one(out, "pawl_tasks_claimed_total", "counter", "Tasks given to workers", number(stats.tasks_claimed));
  one(out, "pawl_tasks_completed_total", "counter", "Reports that completed a task",
      number(stats.tasks_completed));
  one(out, "pawl_tasks_retried_total", "counter", "Reports of a failure after which the task is tried again",
      number(stats.tasks_retried));
  one(out, "pawl_tasks_failed_total", "counter", "Reports of a failure that was the task's last",
      number(stats.tasks_failed));
  one(out, "pawl_claims_waiting", "gauge", "Claims that wait for a task",
      static_cast<double>(view.waiting_claims));
}

void add_queues(std::string& out, const Metrics::View& view) {
  head(out, "pawl_queue_tasks", "gauge", "Tasks by queue and state");
  for (const auto& [ns, queues] : view.queues) {
    for (const core::Queue& queue : queues) {
      const auto line = [&](std::string_view state, std::int64_t count) {
        fmt::format_to(Out{out}, "pawl_queue_tasks{{namespace=\"{}\",queue=\"{}\",state=\"{}\"}} {}\n",
                       escaped(ns), escaped(queue.name), state, count);
      };
      line("pending", queue.counts.pending);
      line("scheduled", queue.counts.scheduled);
      line("blocked", queue.counts.blocked);
      line("claimed", queue.counts.claimed);
      line("running", queue.counts.running);
      line("dead_letter", queue.counts.dead_letter);
    }
  }
  head(out, "pawl_queue_oldest_pending_seconds", "gauge", "How long the first claimable task has waited");
  for (const auto& [ns, queues] : view.queues) {
    for (const core::Queue& queue : queues) {
      fmt::format_to(Out{out}, "pawl_queue_oldest_pending_seconds{{namespace=\"{}\",queue=\"{}\"}} {}\n",
                     escaped(ns), escaped(queue.name),
                     in_seconds(queue.oldest_pending_age.value_or(core::Duration{0}).count()));
    }
  }
}

}  // namespace

Metrics::Metrics() : routes_(wire::routes().size() + 1) {}

void Metrics::count_request(const wire::Route* route, int status, core::Duration took) {
  const std::size_t index =
      route == nullptr ? routes_.size() - 1 : static_cast<std::size_t>(route - wire::routes().data());
  PerRoute& entry = routes_[index];
  ++entry.by_class.at(static_cast<std::size_t>(status / 100) % entry.by_class.size());
  ++entry.count;
  entry.micros += took.count();
  for (std::size_t i = 0; i < kBucketMicros.size(); ++i) {
    if (took.count() <= kBucketMicros.at(i)) ++entry.buckets.at(i);
  }
}

void Metrics::add_http(std::string& out) const {
  const auto label_of = [this](std::size_t i) {
    if (i + 1 == routes_.size()) return std::string{"method=\"\",path=\"(no route)\""};
    const wire::Route& route = wire::routes()[i];
    return fmt::format("method=\"{}\",path=\"{}\"", wire::name_of(route.method), route.path);
  };
  head(out, "pawl_http_requests_total", "counter", "Requests by route and class of status");
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    for (std::size_t status = 1; status < 6; ++status) {
      const std::int64_t count = routes_[i].by_class.at(status);
      if (count == 0) continue;
      fmt::format_to(Out{out}, "pawl_http_requests_total{{{},status=\"{}xx\"}} {}\n", label_of(i), status,
                     count);
    }
  }
  head(out, "pawl_http_request_seconds", "histogram", "From the last byte of a request to its answer");
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const PerRoute& entry = routes_[i];
    if (entry.count == 0) continue;
    const std::string label = label_of(i);
    for (std::size_t b = 0; b < kBucketMicros.size(); ++b) {
      fmt::format_to(Out{out}, "pawl_http_request_seconds_bucket{{{},le=\"{}\"}} {}\n", label,
                     in_seconds(kBucketMicros.at(b)), entry.buckets.at(b).load());
    }
    fmt::format_to(Out{out}, "pawl_http_request_seconds_bucket{{{},le=\"+Inf\"}} {}\n", label,
                   entry.count.load());
    fmt::format_to(Out{out}, "pawl_http_request_seconds_sum{{{}}} {}\n", label, in_seconds(entry.micros));
    fmt::format_to(Out{out}, "pawl_http_request_seconds_count{{{}}} {}\n", label, entry.count.load());
  }
}

std::string Metrics::text(const View& view) const {
  std::string out;
  if (view.is_whole) add_engine(out, view);
  add_queues(out, view);
  if (!view.is_whole) return out;
  one(out, "pawl_http_connections", "gauge", "Open connections", static_cast<double>(connections_));
  one(out, "pawl_http_connections_refused_total", "counter", "Connections over the limit",
      static_cast<double>(refused_connections_));
  one(out, "pawl_http_connections_displaced_total", "counter",
      "Connections without an admitted request that were closed to make room for new ones",
      static_cast<double>(displaced_connections_));
  one(out, "pawl_http_accept_failures_total", "counter",
      "Attempts to accept a connection that failed for lack of descriptors or memory",
      static_cast<double>(failed_accepts_));
  one(out, "pawl_out_of_memory_total", "counter", "Requests and handlers that ended because memory ran out",
      static_cast<double>(out_of_memory_));
  add_http(out);
  return out;
}

}  // namespace pawl::server
