#pragma once
// A client on every kind of address that pawl::connect takes: stores in this process, and a server in front
// of one.

#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "pawl/pawl.hpp"
#include "tests/over_http/http_front.hpp"
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

// A database with an address. One of the memory kind is as old as its client.
class Place {
 public:
  explicit Place(Way way)
      : way_(way),
        database_(way == Way::memory     ? StoreKind::memory
                  : way == Way::postgres ? StoreKind::postgres
                                         : StoreKind::sqlite) {
    if (way != Way::http) return;
    node_ = std::make_unique<RunningNode>(database_.open(clock_, random_));
    front_ = std::make_unique<HttpFront>(
        HttpFront::Behind{.api = node_->runtime.local(),
                          .submit =
                              [this](core::Command command, core::Reply reply) {
                                node_->runtime.submit(std::move(command), std::move(reply));
                              },
                          .engine = node_->runtime.engine(),
                          .store = *node_->store},
        clock_, random_);
  }

  [[nodiscard]] std::string address() const {
    switch (way_) {
      case Way::memory: return "memory:";
      case Way::sqlite: return "sqlite:" + database_.location();
      case Way::postgres: return "postgres:" + database_.location();
      case Way::http: break;
    }
    return "http://127.0.0.1:" + std::to_string(front_->port());
  }

 private:
  Way way_;
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  Database database_;
  std::unique_ptr<RunningNode> node_;
  std::unique_ptr<HttpFront> front_;
};

class SdkTest : public ::testing::TestWithParam<Way> {
 public:
  Place place{GetParam()};
  Client client = connect(place.address());
};

// What the worker says goes nowhere: tests look at what is stored.
inline WorkerOptions quiet(WorkerOptions options = {}) {
  options.log = [](const std::string&) {};
  return options;
}

inline TaskInfo await_task(const Client& client, const std::string& id) {
  EXPECT_TRUE(eventually([&] { return client.task(id).is_finished; })) << client.task(id).status;
  return client.task(id);
}

#define PAWL_ON_EVERY_WAY(Suite)                                                                          \
  INSTANTIATE_TEST_SUITE_P(Ways, Suite,                                                                   \
                           ::testing::Values(::pawl::testing::Way::memory, ::pawl::testing::Way::sqlite,  \
                                             ::pawl::testing::Way::postgres, ::pawl::testing::Way::http), \
                           [](const auto& way) { return ::pawl::testing::name_of(way.param); })

}  // namespace pawl::testing
