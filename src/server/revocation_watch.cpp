#include "server/revocation_watch.hpp"

#include <utility>

namespace pawl::server {

RevocationWatch::RevocationWatch(Auth& auth, Blocking blocking, Later later)
    : auth_(auth), blocking_(std::move(blocking)), later_(std::move(later)) {
  auth_.on_forget([this] { blocking_({.kind = WorkKind::vital}, [this] { end_revoked(); }); });
}

RevocationWatch::~RevocationWatch() { auth_.on_forget({}); }

std::uint64_t RevocationWatch::add(const Request& request, Waiting waiting) {
  bool is_first = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock{mutex_};
    number = ++last_;
    const auto [place, is_new] = watched_.try_emplace(request.authorization);
    if (is_new)
      place->second.request = {.route = request.route,
                               .ns = request.ns,
                               .authorization = request.authorization,
                               .is_local = request.is_local};
    place->second.waiting.emplace(number, std::move(waiting));
    is_first = !std::exchange(is_checking_, true);
  }
  if (is_first) check_later();
  return number;
}

std::uint64_t RevocationWatch::watch(const Request& request, End end) {
  return add(request, {.end = std::move(end)});
}

void RevocationWatch::forget(const Request& request, std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  const auto place = watched_.find(request.authorization);
  if (place == watched_.end()) return;
  place->second.waiting.erase(number);
  if (place->second.waiting.empty()) watched_.erase(place);
}

void RevocationWatch::watch_stream(const Request& request, const std::shared_ptr<EventStream>& stream) {
  const std::weak_ptr<EventStream> weak{stream};
  add(request, {.end =
                    [weak](const core::Problem&) {
                      if (const auto open = weak.lock()) open->end();
                    },
                .is_over =
                    [weak] {
                      const auto open = weak.lock();
                      return !open || open->is_over();
                    }});
}

std::size_t RevocationWatch::size() const {
  const std::lock_guard lock{mutex_};
  std::size_t size = 0;
  for (const auto& [authorization, watched] : watched_) size += watched.waiting.size();
  return size;
}

void RevocationWatch::check_later() {
  later_(kBetweenChecks, [this] {
    blocking_({.kind = WorkKind::vital}, [this] {
      end_revoked();
      if (drop_ended()) check_later();
    });
  });
}

std::vector<Request> RevocationWatch::watched_requests() const {
  const std::lock_guard lock{mutex_};
  std::vector<Request> requests;
  for (const auto& [authorization, watched] : watched_) requests.push_back(watched.request);
  return requests;
}

std::map<std::uint64_t, RevocationWatch::Waiting> RevocationWatch::take(const Request& request) {
  const std::lock_guard lock{mutex_};
  auto node = watched_.extract(request.authorization);
  return node ? std::move(node.mapped().waiting) : std::map<std::uint64_t, Waiting>{};
}

// If the store cannot be read, nothing is revoked.
void RevocationWatch::end_revoked() {
  for (const Request& request : watched_requests()) {
    const auto allowed = auth_.allow(request);
    if (allowed || allowed.problem().code != core::ProblemCode::unauthorized) continue;
    for (const auto& [number, waiting] : take(request)) waiting.end(allowed.problem());
  }
}

bool RevocationWatch::drop_ended() {
  const std::lock_guard lock{mutex_};
  for (auto& [authorization, watched] : watched_)
    std::erase_if(watched.waiting,
                  [](const auto& one) { return one.second.is_over && one.second.is_over(); });
  std::erase_if(watched_, [](const auto& one) { return one.second.waiting.empty(); });
  is_checking_ = !watched_.empty();
  return is_checking_;
}

}  // namespace pawl::server
