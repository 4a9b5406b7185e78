#pragma once
// A server on a free port, with an engine and its threads on a memory store.

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/over_http/http_front.hpp"
#include "tests/support/raw_client.hpp"

namespace pawl::testing {

// Real time plus the steps that a test adds.
class SteppedClock final : public core::Clock {
 public:
  [[nodiscard]] core::TimePoint now() override { return real_.now() + core::Duration{ahead_.load()}; }
  [[nodiscard]] core::MonotonicTime monotonic() override { return real_.monotonic(); }
  // The added time counts as elapsed, so it is no clock step.
  [[nodiscard]] core::MonotonicTime elapsed() override { return monotonic() + core::Duration{ahead_.load()}; }
  void step(core::Duration by) { ahead_ += by.count(); }

 private:
  runtime::SystemClock real_;
  std::atomic<std::int64_t> ahead_ = 0;
};

class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(const server::HttpOptions& options = {}, const HttpFront::Quotas& quotas = {})
      : front(behind(quotas), clock, random, options) {}

  [[nodiscard]] HttpFront::Behind behind(const HttpFront::Quotas& quotas = {}) {
    return {.api = runtime.local(),
            .submit = [this](core::Command command,
                             core::Reply reply) { runtime.submit(std::move(command), std::move(reply)); },
            .engine = runtime.engine(),
            .store = *store,
            .quotas = quotas};
  }

  SteppedClock clock;
  runtime::SystemRandom random;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  runtime::Runtime runtime{*store, clock, random};
  HttpFront front;
};

}  // namespace pawl::testing
