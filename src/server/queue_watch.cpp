#include "server/queue_watch.hpp"

#include "wire/task.hpp"

namespace pawl::server {

namespace {

constexpr core::Duration kPollInterval = std::chrono::seconds{1};

// The age of the oldest task grows constantly and is not a change.
std::vector<core::Queue> without_age(std::vector<core::Queue> queues) {
  for (core::Queue& queue : queues) queue.oldest_pending_age.reset();
  return queues;
}

}  // namespace

core::Status QueueWatch::follow(Request request, std::shared_ptr<EventStream> stream) {
  const std::string ns = request.ns;
  auto queues = api_.list_queues(ns);
  if (!queues) return queues.problem();
  bool is_first = false;
  {
    const std::lock_guard lock{mutex_};
    Watched& watched = watched_[ns];
    is_first = watched.followers.empty();
    watched.followers.push_back({.request = std::move(request), .stream = std::move(stream)});
    note(watched, std::move(*queues));
    send(watched);
  }
  if (is_first) poll_later(ns);
  return core::Done{};
}

void QueueWatch::poll_later(const std::string& ns) {
  later_(kPollInterval,
         [this, ns] { blocking_({.kind = WorkKind::read, .ns = ns}, [this, ns] { poll(ns); }); });
}

// If the read fails, followers receive nothing until the next poll.
void QueueWatch::poll(const std::string& ns) {
  auto queues = api_.list_queues(ns);
  end_unauthorized(ns);
  {
    const std::lock_guard lock{mutex_};
    Watched& watched = watched_[ns];
    std::erase_if(watched.followers, [](const Follower& follower) { return follower.stream->is_over(); });
    if (watched.followers.empty()) {
      watched_.erase(ns);
      return;
    }
    if (queues) note(watched, std::move(*queues));
    send(watched);
  }
  poll_later(ns);
}

// Checks a copy, because Auth may read the store and other namespaces must not wait for that.
void QueueWatch::end_unauthorized(const std::string& ns) {
  std::vector<Follower> followers;
  {
    const std::lock_guard lock{mutex_};
    followers = watched_[ns].followers;
  }
  for (const Follower& follower : followers) {
    if (!auth_.allow(follower.request)) follower.stream->end();
  }
}

void QueueWatch::note(Watched& watched, std::vector<core::Queue> queues) {
  std::string text = wire::queues_text(queues);
  queues = without_age(std::move(queues));
  if (watched.version > 0 && queues == watched.queues) return;
  watched.queues = std::move(queues);
  watched.text = std::move(text);
  ++watched.version;
}

void QueueWatch::send(Watched& watched) {
  for (Follower& follower : watched.followers) {
    if (follower.sent_version == watched.version) continue;
    follower.stream->send({.type = "queues", .data = watched.text});
    follower.sent_version = watched.version;
  }
}

}  // namespace pawl::server
