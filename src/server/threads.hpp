#pragma once
// What a call may ask of the server's threads.

#include <functional>
#include <string>
#include <utility>

#include "core/time.hpp"
#include "server/fair_threads.hpp"

namespace pawl::server {

// Runs work on other threads than those of the network: it may wait for the store.
class Blocking {
 public:
  using Post = std::function<void(WorkOwner, std::function<void()>)>;
  using WaitingOf = std::function<std::size_t(const std::string& ns)>;
  Blocking(Post post, WaitingOf waiting_of) : post_(std::move(post)), waiting_of_(std::move(waiting_of)) {}

  void operator()(WorkOwner owner, std::function<void()> work) const {
    post_(std::move(owner), std::move(work));
  }
  // Work of the same owner as that of this thread.
  void operator()(std::function<void()> work) const { post_(FairThreads::owner_here(), std::move(work)); }
  // How much of a namespace waits for a thread.
  [[nodiscard]] std::size_t waiting_of(const std::string& ns) const { return waiting_of_(ns); }

 private:
  Post post_;
  WaitingOf waiting_of_;
};
// Runs work after a time, on a thread of the network: it must not wait.
using Later = std::function<void(core::Duration, std::function<void()>)>;

// Runs work on the network thread of the connection that asks, soon: it must not wait.
using Resume = std::function<void(std::function<void()>)>;

// Runs work on that thread if the one who asks closes the connection before the answer. Not where they have
// sent more behind the request: then it is not looked for.
using WhenGone = std::function<void(std::function<void()>)>;

}  // namespace pawl::server
