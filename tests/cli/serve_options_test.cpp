#include "cli/serve_options.hpp"

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

core::Result<server::ServeOptions> options_with(const std::vector<std::string>& sets) {
  const auto loaded = load_config({.sets = sets});
  EXPECT_TRUE(loaded.ok());
  return serve_options(*loaded);
}

TEST(ServeOptions, HaveTheDefaultsOfTheKeyTable) {
  const auto options = options_with({});
  ASSERT_TRUE(options.ok()) << options.problem().detail;
  const server::ServeOptions plain;
  EXPECT_EQ(options->http.address, "127.0.0.1");
  EXPECT_EQ(options->http.port, 7717);
  EXPECT_FALSE(options->http.tls.is_on());
  EXPECT_EQ(options->http.limits.connections_max, plain.http.limits.connections_max);
  EXPECT_EQ(options->http.limits.header_timeout, plain.http.limits.header_timeout);
  EXPECT_EQ(options->http.limits.body_timeout, plain.http.limits.body_timeout);
  EXPECT_EQ(options->http.limits.idle_timeout, plain.http.limits.idle_timeout);
  EXPECT_EQ(options->body_max, plain.body_max);
  EXPECT_EQ(options->payload_warn, plain.payload_warn);
  EXPECT_EQ(options->lease_default, plain.lease_default);
  EXPECT_EQ(options->answers_kept, plain.answers_kept);
  EXPECT_EQ(options->runtime.ticker.interval, plain.runtime.ticker.interval);
  EXPECT_EQ(options->runtime.limits.waiting_claims_max, plain.runtime.limits.waiting_claims_max);
  EXPECT_EQ(options->runtime.limits.runs.child_depth_max, plain.runtime.limits.runs.child_depth_max);
  EXPECT_EQ(options->runtime.limits.runs.rendered_bytes_max, plain.runtime.limits.runs.rendered_bytes_max);
  EXPECT_EQ(options->runtime.limits.runs.scanned_bytes_max, plain.runtime.limits.runs.scanned_bytes_max);
  EXPECT_EQ(options->waits.of_one_namespace, plain.waits.of_one_namespace);
  EXPECT_EQ(options->waits.of_one_token, plain.waits.of_one_token);
  EXPECT_EQ(options->streams.of_one_namespace, plain.streams.of_one_namespace);
  EXPECT_EQ(options->streams.of_one_token, plain.streams.of_one_token);
  EXPECT_EQ(options->http.blocking.threads, plain.http.blocking.threads);
  EXPECT_EQ(options->http.blocking.reads, plain.http.blocking.reads);
  EXPECT_EQ(options->rates.of_one_token, 0) << "off";
  EXPECT_EQ(options->runtime.api.worker_timeout, plain.runtime.api.worker_timeout);
  EXPECT_EQ(options->runtime.api.payload_max, plain.runtime.api.payload_max);
  EXPECT_FALSE(options->auth.requires_token);
}

TEST(ServeOptions, AreSetByTheKeys) {
  const auto options = options_with({"listen=[::1]:80",
                                     "auth.required=true",
                                     "server.hosts=a.example,b.example",
                                     "tls.cert=c",
                                     "tls.key=k",
                                     "tls.client_ca=a",
                                     "lease.default=5s",
                                     "workers.offline_after=7s",
                                     "recovery.leases=20ms",
                                     "limits.payload_warn=1KiB",
                                     "limits.payload_max=2KiB",
                                     "limits.body_max=8MiB",
                                     "limits.connections=9",
                                     "limits.claims_waiting=10",
                                     "limits.child_depth=7",
                                     "limits.run_rendered=3MiB",
                                     "limits.run_scanned=48MiB",
                                     "limits.claims_waiting_per_namespace=3",
                                     "limits.streams=20",
                                     "limits.streams_per_namespace=12",
                                     "limits.streams_per_token=4",
                                     "limits.reads_per_namespace=6",
                                     "limits.reads_per_token=5",
                                     "limits.requests_per_namespace=100",
                                     "limits.requests_per_token=50",
                                     "retention.idempotency=1h",
                                     "retention.tasks=2d",
                                     "retention.runs=3d",
                                     "retention.audit=4d",
                                     "retention.checkpoints=5",
                                     "http.read_timeout=2s",
                                     "http.idle_timeout=3s",
                                     "log.format=json",
                                     "log.level=error"});
  ASSERT_TRUE(options.ok()) << options.problem().detail;
  EXPECT_EQ(options->http.address, "::1");
  EXPECT_EQ(options->http.port, 80);
  EXPECT_EQ(options->http.tls.cert + options->http.tls.key + options->http.tls.client_ca, "cka");
  EXPECT_TRUE(options->auth.requires_token);
  EXPECT_EQ(options->hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(options->lease_default, 5s);
  EXPECT_EQ(options->runtime.api.worker_timeout, 7s);
  EXPECT_EQ(options->runtime.ticker.interval, 20ms);
  EXPECT_EQ(options->payload_warn, 1'024U);
  EXPECT_EQ(options->runtime.api.payload_max, 2'048U);
  EXPECT_EQ(options->body_max, 8U << 20U);
  EXPECT_EQ(options->http.limits.connections_max, 9);
  EXPECT_EQ(options->runtime.limits.waiting_claims_max, 10U);
  EXPECT_EQ(options->runtime.limits.runs.child_depth_max, 7);
  EXPECT_EQ(options->runtime.limits.runs.rendered_bytes_max, 3U << 20U);
  EXPECT_EQ(options->runtime.limits.runs.scanned_bytes_max, 48U << 20U);
  EXPECT_EQ(options->waits.of_one_namespace, 3);
  EXPECT_EQ(options->waits.of_one_token, 5) << "half of the connections";
  EXPECT_EQ(options->streams.all, 20);
  EXPECT_EQ(options->streams.of_one_namespace, 12);
  EXPECT_EQ(options->streams.of_one_token, 4);
  const server::FairThreads::Caps& threads = options->http.blocking;
  EXPECT_EQ(threads.reads_of_one_namespace, 6);
  EXPECT_EQ(threads.reads_of_one_token, 5);
  EXPECT_GT(threads.reads, threads.reads_of_one_namespace) << "one is kept for other namespaces";
  EXPECT_GT(threads.threads, threads.reads);
  EXPECT_GT(threads.threads, threads.of_one_namespace);
  EXPECT_EQ(options->rates.of_one_namespace, 100);
  EXPECT_EQ(options->rates.of_one_token, 50);
  EXPECT_EQ(options->answers_kept, 1h);
  for (const core::Retention& retention :
       {options->runtime.api.retention, options->runtime.ticker.retention}) {
    EXPECT_EQ(retention.tasks, 48h);
    EXPECT_EQ(retention.runs, 72h);
    EXPECT_EQ(retention.audit, 96h);
  }
  EXPECT_EQ(options->runtime.api.checkpoints_kept, 5);
  EXPECT_EQ(options->http.limits.body_timeout, 2s);
  EXPECT_EQ(options->http.limits.header_timeout, 2s) << "a header must not take longer than the request";
  EXPECT_EQ(options->http.limits.idle_timeout, 3s);
  EXPECT_TRUE(options->log.is_json);
  EXPECT_EQ(options->log.least, server::LogLevel::error);
}

TEST(ServeOptions, OutOfRangeAreRejectedByName) {
  for (const auto* set :
       {"lease.default=1ms", "lease.default=25h", "workers.offline_after=10ms", "limits.payload_max=3MiB",
        "limits.payload_max=0", "leader.ttl=0s", "limits.body_max=1", "limits.connections=0",
        "limits.reads_per_token=0", "server.hosts=a:80", "http.read_timeout=0s", "listen=80",
        "listen=127.0.0.1:70000"}) {
    const auto options = options_with({set});
    ASSERT_FALSE(options.ok()) << set;
    const std::string key{std::string_view{set}.substr(0, std::string_view{set}.find('='))};
    EXPECT_NE(options.problem().detail.find(key), std::string::npos) << options.problem().detail;
  }
}

TEST(ServeOptions, RejectNumbersOfAnyLengthWithTheirValueAndRange) {
  for (const std::string number : {"10000001", "9999999999", "999999999999999", "99999999999999999999999"}) {
    for (const std::string key : {"limits.requests_per_token", "limits.requests_per_namespace"}) {
      SCOPED_TRACE(key + "=" + number);
      const auto options = options_with({key + "=" + number});
      ASSERT_FALSE(options.ok());
      EXPECT_EQ(options.problem().detail, key + ": " + number + " is out of range (0 to 10000000)");
    }
  }
  const auto small = options_with({"lease.default=1ms"});
  EXPECT_NE(small.problem().detail.find("lease.default: 1ms is out of range ("), std::string::npos)
      << small.problem().detail;
}

TEST(ServeOptions, AcceptLongNumbersThatAreInRange) {
  const auto options = options_with({"limits.run_scanned=1099511627776"});
  ASSERT_TRUE(options.ok()) << options.problem().detail;
  EXPECT_EQ(options->runtime.limits.runs.scanned_bytes_max, std::size_t{1} << 40U);
}

TEST(ServeOptions, ExplainTheMaximumPayloadSize) {
  EXPECT_NE(options_with({"limits.payload_max=3MiB"}).problem().detail.find("2MiB, the most"),
            std::string::npos);
}

}  // namespace
}  // namespace pawl::cli
