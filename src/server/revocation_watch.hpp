#pragma once
// Ends waiting calls and event streams when their token is revoked or expires, whichever node revoked it.
//
// Nothing waits with a token a second after its revocation: each token in use is checked every
// kBetweenChecks, against cached data that is at most Auth::kKeptFor old. Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/auth.hpp"
#include "server/request.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class RevocationWatch {
 public:
  static constexpr core::Duration kBetweenChecks = std::chrono::milliseconds{300};

  // Work scheduled with `later` must not run after this object is destroyed.
  RevocationWatch(Auth& auth, Blocking blocking, Later later);
  RevocationWatch(const RevocationWatch&) = delete;
  RevocationWatch& operator=(const RevocationWatch&) = delete;
  ~RevocationWatch();

  // `end` is called once with the refusal, on a thread that may block, unless `forget` was called before.
  using End = std::function<void(const core::Problem&)>;
  [[nodiscard]] std::uint64_t watch(const Request& request, End end);
  void forget(const Request& request, std::uint64_t number);
  void watch_stream(const Request& request, const std::shared_ptr<EventStream>& stream);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Waiting {
    End end = {};
    std::function<bool()> is_over = {};  // none: `forget` removes the call
  };
  struct Watched {
    Request request = {};  // what Auth checks
    std::map<std::uint64_t, Waiting> waiting = {};
  };

  std::uint64_t add(const Request& request, Waiting waiting);
  void check_later();
  void end_revoked();
  [[nodiscard]] std::vector<Request> watched_requests() const;
  [[nodiscard]] std::map<std::uint64_t, Waiting> take(const Request& request);
  // False if nothing remains to be watched.
  [[nodiscard]] bool drop_ended();

  Auth& auth_;
  Blocking blocking_;
  Later later_;
  mutable std::mutex mutex_;
  bool is_checking_ = false;
  std::uint64_t last_ = 0;
  std::map<std::string, Watched> watched_;  // by the Authorization header
};

}  // namespace pawl::server
