#pragma once
// Ends the calls and the event streams that wait when their token is revoked or expires, whichever node
// revoked it.
//
// Always: a second after a revocation nothing waits with its token. A token that is waited with is compared
// every kBetweenChecks, with a copy that is at most Auth::kKeptFor old. Any thread.

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

  // Work that was put off must not run after this has ended.
  RevocationWatch(Auth& auth, Blocking blocking, Later later);
  RevocationWatch(const RevocationWatch&) = delete;
  RevocationWatch& operator=(const RevocationWatch&) = delete;
  ~RevocationWatch();

  // `end` is called once with the refusal, on a thread that may wait, unless `forget` was called before.
  using End = std::function<void(const core::Problem&)>;
  [[nodiscard]] std::uint64_t watch(const Request& request, End end);
  void forget(const Request& request, std::uint64_t number);
  void watch_stream(const Request& request, const std::shared_ptr<EventStream>& stream);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Waiting {
    End end = {};
    std::function<bool()> is_over = {};  // none: `forget` says when
  };
  struct Watched {
    Request request = {};  // what Auth compares
    std::map<std::uint64_t, Waiting> waiting = {};
  };

  std::uint64_t add(const Request& request, Waiting waiting);
  void check_later();
  void end_revoked();
  [[nodiscard]] std::vector<Request> watched_requests() const;
  [[nodiscard]] std::map<std::uint64_t, Waiting> take(const Request& request);
  // False where nothing is left to be watched.
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
