#pragma once
// A server on a free port, with an engine and its threads on a memory store.

#include <memory>

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/over_http/http_front.hpp"
#include "tests/server/raw_client.hpp"

namespace pawl::testing {

class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(const server::HttpLimits& limits = {})
      : front({.api = runtime.local(),
               .submit = [this](core::Command command,
                                core::Reply reply) { runtime.submit(std::move(command), std::move(reply)); },
               .engine = runtime.engine(),
               .store = *store},
              clock, random, limits) {}

  runtime::SystemClock clock;
  runtime::SystemRandom random;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  runtime::Runtime runtime{*store, clock, random};
  HttpFront front;
};

}  // namespace pawl::testing
