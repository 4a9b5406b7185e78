#pragma once
// A real server on a free port in front of an engine, and the Api over it: the test's calls go through
// sockets.

#include <memory>

#include "client/http_api.hpp"
#include "core/api/api.hpp"
#include "runtime/local_api.hpp"
#include "server/http_server.hpp"
#include "tests/over_http/checked_dispatch.hpp"
#include "tests/support/harness.hpp"

namespace pawl::testing {

class HttpFront final : public Front {
 public:
  using Submit = std::function<void(core::Command, core::Reply)>;

  struct Quotas {
    server::Places::Caps streams = server::EventStreams::kCaps;
    server::Places::Caps waits = {.all = 1'000, .of_one_namespace = 1'000, .of_one_token = 1'000};
    server::RequestRates::Caps rates = {};
    std::size_t calls_waiting_max = server::Dispatch::Options{}.calls_waiting_max;
  };
  struct Behind {
    runtime::LocalApi& api;
    Submit submit;
    engine::Engine& engine;
    store::Store& store;
    std::function<core::Status()> check_progress = [] { return core::Status{core::Done{}}; };
    Quotas quotas = {};
  };
  HttpFront(const Behind& behind, core::Clock& clock, core::Random& random,
            const server::HttpOptions& options = {});
  HttpFront(const HttpFront&) = delete;
  HttpFront& operator=(const HttpFront&) = delete;
  ~HttpFront() override;

  [[nodiscard]] core::Api& api() override { return api_; }
  [[nodiscard]] core::RunApi& runs() override { return api_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] server::Metrics& metrics() { return metrics_; }
  [[nodiscard]] server::HttpServer& http() { return http_; }
  [[nodiscard]] const server::RevocationWatch& revocations() const { return server_.revocations; }

 private:
  engine::Engine& engine_;
  server::Log log_;
  server::Metrics metrics_;
  server::HttpServer http_;
  server::Server server_;
  CheckedDispatch dispatch_;
  std::uint16_t port_;
  client::HttpApi api_;
};

// For EngineTest: in front of a node without threads.
[[nodiscard]] std::unique_ptr<Front> make_http_front(DirectNode& node, core::Clock& clock);

}  // namespace pawl::testing
