#pragma once
// What a call may ask of the server's threads.

#include <functional>

#include "core/time.hpp"

namespace pawl::server {

// Runs work on other threads than those of the network: it may wait for the store.
using Blocking = std::function<void(std::function<void()>)>;
// Runs work after a time, on a thread of the network: it must not wait.
using Later = std::function<void(core::Duration, std::function<void()>)>;

// Runs work on the network thread of the connection that asks, soon: it must not wait.
using Resume = std::function<void(std::function<void()>)>;

// Runs work on that thread if the one who asks closes the connection before the answer. Not where they have
// sent more behind the request: then it is not looked for.
using WhenGone = std::function<void(std::function<void()>)>;

}  // namespace pawl::server
