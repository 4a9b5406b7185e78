#pragma once
// The functions through which calls use the server's threads.

#include <functional>
#include <string>
#include <utility>

#include "core/base/time.hpp"
#include "server/fair_threads.hpp"

namespace pawl::server {

// Runs work on threads that may wait for the store, unlike network threads.
class Blocking {
 public:
  using Post = std::function<void(WorkOwner, std::function<void()>)>;
  using WaitingOf = std::function<std::size_t(const std::string& ns)>;
  Blocking(Post post, WaitingOf waiting_of) : post_(std::move(post)), waiting_of_(std::move(waiting_of)) {}

  void operator()(WorkOwner owner, std::function<void()> work) const {
    post_(std::move(owner), std::move(work));
  }
  // Posts work of the same owner as the calling thread's.
  void operator()(std::function<void()> work) const { post_(FairThreads::owner_here(), std::move(work)); }
  // Number of jobs of a namespace that wait for a thread.
  [[nodiscard]] std::size_t waiting_of(const std::string& ns) const { return waiting_of_(ns); }

 private:
  Post post_;
  WaitingOf waiting_of_;
};
// Runs work after a delay, on a network thread: it must not block.
using Later = std::function<void(core::Duration, std::function<void()>)>;

// Runs work soon, on the network thread of the caller's connection: it must not block.
using Resume = std::function<void(std::function<void()>)>;

// Runs work on that thread if the client disconnects before the response. Disconnects are not detected if the
// client has sent more data after the request.
using WhenGone = std::function<void(std::function<void()>)>;

}  // namespace pawl::server
