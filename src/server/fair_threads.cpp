#include "server/fair_threads.hpp"

#include <utility>

namespace pawl::server {

namespace {

thread_local const WorkOwner* owner_of_this_thread = nullptr;

}  // namespace

FairThreads::FairThreads(const Caps& caps) : caps_(caps) {
  for (int i = 0; i < caps_.threads + caps_.vital_threads; ++i) threads_.emplace_back([this] { run(); });
}

const WorkOwner& FairThreads::owner_here() {
  static const WorkOwner vital{};
  return owner_of_this_thread == nullptr ? vital : *owner_of_this_thread;
}

void FairThreads::post(WorkOwner owner, Work work) {
  {
    const std::lock_guard lock{mutex_};
    if (owner.kind == WorkKind::vital) {
      vital_.push_back(std::move(work));
    } else {
      add(std::move(owner), std::move(work));
    }
  }
  changed_.notify_one();
}

// This order leaves all counts unchanged if an allocation fails.
void FairThreads::add(WorkOwner owner, Work work) {
  Share& of_namespace = of_namespace_[owner.ns];
  Share& of_token = of_token_[owner.token];
  if (const auto found = line_of_.find(owner); found != line_of_.end()) {
    found->second->work.push_back(std::move(work));
  } else {
    std::list<Line> line(1);
    line.front().owner = std::make_shared<const WorkOwner>(owner);
    line.front().work.push_back(std::move(work));
    line_of_.emplace(std::move(owner), line.begin());
    lines_.splice(lines_.end(), line);
  }
  ++of_namespace.waiting;
  ++of_token.waiting;
}

std::size_t FairThreads::waiting_of(const std::string& ns) const {
  const std::lock_guard lock{mutex_};
  const auto found = of_namespace_.find(ns);
  return found == of_namespace_.end() ? 0 : found->second.waiting;
}

bool FairThreads::may_run(const WorkOwner& owner) const {
  const Share& of_namespace = of_namespace_.at(owner.ns);
  if (of_namespace.running >= caps_.of_one_namespace) return false;
  if (owner.kind != WorkKind::read) return true;
  const bool token_has_room =
      owner.token.empty() || of_token_.at(owner.token).reads < caps_.reads_of_one_token;
  return token_has_room && reads_ < caps_.reads && of_namespace.reads < caps_.reads_of_one_namespace;
}

bool FairThreads::take(Job& job) {
  if (!vital_.empty()) {
    job = {.owner = nullptr, .work = std::move(vital_.front())};
    vital_.pop_front();
    return true;
  }
  if (running_ >= caps_.threads) return false;
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    if (!may_run(*line->owner)) continue;
    job = {.owner = line->owner, .work = std::move(line->work.front())};
    line->work.pop_front();
    begin(*job.owner);
    if (line->work.empty()) {
      line_of_.erase(*line->owner);
      lines_.erase(line);
    } else {
      lines_.splice(lines_.end(), lines_, line);
    }
    return true;
  }
  return false;
}

void FairThreads::begin(const WorkOwner& owner) {
  const int read = owner.kind == WorkKind::read ? 1 : 0;
  ++running_;
  reads_ += read;
  for (Share* share : {&of_namespace_.at(owner.ns), &of_token_.at(owner.token)}) {
    --share->waiting;
    ++share->running;
    share->reads += read;
  }
}

void FairThreads::end(const WorkOwner& owner) {
  const bool is_read = owner.kind == WorkKind::read;
  --running_;
  if (is_read) --reads_;
  end(of_namespace_, owner.ns, is_read);
  end(of_token_, owner.token, is_read);
}

void FairThreads::end(Shares& shares, const std::string& name, bool is_read) {
  const auto share = shares.find(name);
  --share->second.running;
  if (is_read) --share->second.reads;
  if (share->second.running == 0 && share->second.waiting == 0) shares.erase(share);
}

void FairThreads::run() {
  std::unique_lock lock{mutex_};
  while (true) {
    Job job;
    if (!take(job)) {
      if (is_stopping_ && lines_.empty() && running_ == 0) break;
      changed_.wait(lock);
      continue;
    }
    // More jobs are waiting, and the notification may have woken only this thread.
    if (!vital_.empty() || !lines_.empty()) changed_.notify_one();
    lock.unlock();
    owner_of_this_thread = job.owner.get();
    job.work();
    job.work = nullptr;
    owner_of_this_thread = nullptr;
    lock.lock();
    if (!job.owner) continue;
    end(*job.owner);
    // The end of this job may let a job of another line run in addition to the one that this thread takes.
    if (!lines_.empty()) changed_.notify_one();
  }
  changed_.notify_all();
}

void FairThreads::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace pawl::server
