#pragma once
// Streams queue changes of a namespace to its followers. Each followed namespace is polled once a second for
// all its followers together; other namespaces are not polled.
//
// A follower whose access ends (a revoked token) receives nothing more. Thread-safe.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/api/api.hpp"
#include "server/auth.hpp"
#include "server/event_stream.hpp"
#include "server/request.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class QueueWatch {
 public:
  // Work scheduled with `later` must not run after this object is destroyed.
  QueueWatch(core::Api& api, Auth& auth, Blocking blocking, Later later)
      : api_(api), auth_(auth), blocking_(std::move(blocking)), later_(std::move(later)) {}

  // Sends the queues of the request's namespace immediately, and again whenever they change. Reads the store.
  [[nodiscard]] core::Status follow(Request request, std::shared_ptr<EventStream> stream);

 private:
  struct Follower {
    Request request = {};
    std::shared_ptr<EventStream> stream = {};  // shared with the connection that writes it
    std::uint64_t sent_version = 0;            // version sent last
  };
  struct Watched {
    std::vector<Follower> followers = {};
    std::vector<core::Queue> queues = {};
    std::string text = {};
    std::uint64_t version = 0;
  };

  void poll(const std::string& ns);
  void poll_later(const std::string& ns);
  void end_unauthorized(const std::string& ns);
  static void note(Watched& watched, std::vector<core::Queue> queues);
  void send(Watched& watched);

  core::Api& api_;
  Auth& auth_;
  Blocking blocking_;
  Later later_;
  std::mutex mutex_;
  std::map<std::string, Watched> watched_;  // by namespace; only those with followers
};

}  // namespace pawl::server
