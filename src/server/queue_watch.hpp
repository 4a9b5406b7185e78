#pragma once
// Who follows the queues of a namespace, and what they were told last. A namespace is looked at once a second
// for all of its followers together, and not at all without any.
//
// Always: one who may not see the namespace any more (a revoked token) is told nothing more. Any thread.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "server/auth.hpp"
#include "server/event_stream.hpp"
#include "server/request.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class QueueWatch {
 public:
  // Work that was put off must not run after this has ended.
  QueueWatch(core::Api& api, Auth& auth, Blocking blocking, Later later)
      : api_(api), auth_(auth), blocking_(std::move(blocking)), later_(std::move(later)) {}

  // Sends the queues of the request's namespace at once, and again whenever they have changed. Reads the
  // store.
  [[nodiscard]] core::Status follow(Request request, std::shared_ptr<EventStream> stream);

 private:
  struct Follower {
    Request request = {};
    std::shared_ptr<EventStream> stream = {};  // shared with the connection that writes it
    std::uint64_t told = 0;                    // the version
  };
  struct Watched {
    std::vector<Follower> followers = {};
    std::vector<core::Queue> queues = {};
    std::string text = {};
    std::uint64_t version = 0;
  };

  void look(const std::string& ns);
  void look_later(const std::string& ns);
  static void note(Watched& watched, std::vector<core::Queue> queues);
  void tell(Watched& watched);

  core::Api& api_;
  Auth& auth_;
  Blocking blocking_;
  Later later_;
  std::mutex mutex_;
  std::map<std::string, Watched> watched_;  // by namespace; those that somebody follows
};

}  // namespace pawl::server
