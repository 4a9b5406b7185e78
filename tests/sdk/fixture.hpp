#pragma once
// A client for every kind of address that pawl::connect accepts: in-process stores, and a server in front of
// one.

#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"
#ifdef PAWL_SDK_OVER_HTTP
#include "tests/over_http/http_front.hpp"
#endif
#include "tests/runtime/fixture.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {

enum class Way : std::uint8_t { memory, sqlite, postgres, http };

inline std::string name_of(Way way) {
  switch (way) {
    case Way::memory: return "memory";
    case Way::sqlite: return "sqlite";
    case Way::postgres: return "postgres";
    case Way::http: return "http";
  }
  return "?";
}
inline void PrintTo(Way way, std::ostream* out) { *out << name_of(way); }

// A database with an address. With the memory kind it lives as long as its client.
class Place {
 public:
  explicit Place(Way way)
      : way_(way),
        database_(way == Way::memory     ? StoreKind::memory
                  : way == Way::postgres ? StoreKind::postgres
                                         : StoreKind::sqlite) {
#ifdef PAWL_SDK_OVER_HTTP
    if (way != Way::http) return;
    node_ = std::make_unique<RunningNode>(database_.open(clock_, random_));
    open_server();
#endif
  }

#ifdef PAWL_SDK_OVER_HTTP
  // The server of the http way. It is open initially, and reopens on the same port.
  void close_server() { front_.reset(); }
  void open_server() {
    front_ = std::make_unique<HttpFront>(
        HttpFront::Behind{.api = node_->runtime.local(),
                          .submit =
                              [this](core::Command command, core::Reply reply) {
                                node_->runtime.submit(std::move(command), std::move(reply));
                              },
                          .engine = node_->runtime.engine(),
                          .store = *node_->store},
        clock_, random_, server::HttpOptions{.port = port_});
    port_ = front_->port();
  }
#endif

  [[nodiscard]] std::string address() const {
    switch (way_) {
      case Way::memory: return "memory:";
      case Way::sqlite: return "sqlite:" + database_.location();
      case Way::postgres: return "postgres:" + database_.location();
      case Way::http: break;
    }
#ifdef PAWL_SDK_OVER_HTTP
    return "http://127.0.0.1:" + std::to_string(port_);
#else
    throw std::logic_error{"this build has no server"};
#endif
  }

 private:
  Way way_;
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  Database database_;
  std::unique_ptr<RunningNode> node_;
#ifdef PAWL_SDK_OVER_HTTP
  std::uint16_t port_ = 0;  // any free one at first
  std::unique_ptr<HttpFront> front_;
#endif
};

inline std::vector<Way> all_ways() {
#ifdef PAWL_SDK_OVER_HTTP
  return {Way::memory, Way::sqlite, Way::postgres, Way::http};
#else
  return {Way::memory, Way::sqlite, Way::postgres};
#endif
}

class SdkTest : public ::testing::TestWithParam<Way> {
 public:
  Place place{GetParam()};
  Client client = connect(place.address());
};

// Discards the worker's log: tests check the stored state.
inline WorkerOptions quiet(WorkerOptions options = {}) {
  options.log = [](const std::string&) {};
  return options;
}

inline TaskInfo await_task(const Client& client, const std::string& id) {
  EXPECT_TRUE(eventually([&] { return client.task(id).is_finished; })) << client.task(id).status;
  return client.task(id);
}

#define PAWL_ON_EVERY_WAY(Suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Ways, Suite, ::testing::ValuesIn(::pawl::testing::all_ways()), \
                           [](const auto& way) { return ::pawl::testing::name_of(way.param); })

}  // namespace pawl::testing
