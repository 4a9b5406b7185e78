#include "server/queue_watch.hpp"

#include "wire/task.hpp"

namespace pawl::server {

namespace {

constexpr core::Duration kBetweenLooks = std::chrono::seconds{1};

// How old the oldest task is changes all the time, and is nothing that happened.
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
    tell(watched);
  }
  if (is_first) look_later(ns);
  return core::Done{};
}

void QueueWatch::look_later(const std::string& ns) {
  later_(kBetweenLooks,
         [this, ns] { blocking_({.kind = WorkKind::read, .ns = ns}, [this, ns] { look(ns); }); });
}

// A look that fails is followed by another one; meanwhile nothing is told.
void QueueWatch::look(const std::string& ns) {
  auto queues = api_.list_queues(ns);
  {
    const std::lock_guard lock{mutex_};
    Watched& watched = watched_[ns];
    std::erase_if(watched.followers, [this](const Follower& follower) {
      const bool may_see = auth_.allow(follower.request).ok();
      if (!may_see) follower.stream->end();
      return follower.stream->is_over();
    });
    if (watched.followers.empty()) {
      watched_.erase(ns);
      return;
    }
    if (queues) note(watched, std::move(*queues));
    tell(watched);
  }
  look_later(ns);
}

void QueueWatch::note(Watched& watched, std::vector<core::Queue> queues) {
  std::string text = wire::queues_text(queues);
  queues = without_age(std::move(queues));
  if (watched.version > 0 && queues == watched.queues) return;
  watched.queues = std::move(queues);
  watched.text = std::move(text);
  ++watched.version;
}

void QueueWatch::tell(Watched& watched) {
  for (Follower& follower : watched.followers) {
    if (follower.told == watched.version) continue;
    follower.stream->send({.type = "queues", .data = watched.text});
    follower.told = watched.version;
  }
}

}  // namespace pawl::server
