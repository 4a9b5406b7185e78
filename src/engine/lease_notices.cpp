#include "engine/lease_notices.hpp"

namespace pawl::engine {

namespace {

constexpr core::Duration kMailboxKept = std::chrono::minutes{2};

}  // namespace

void LeaseNotices::wait(const Wait& wait, Reply reply) {
  Replies replies;
  {
    const std::lock_guard lock{mutex_};
    Mailbox& box = mailboxes_[{wait.ns, wait.worker_id}];
    if (box.reply) replies.emplace_back(std::exchange(box.reply, nullptr), std::vector<core::TaskId>{});
    box.dropped_at = wait.until + kMailboxKept;
    if (box.tasks.empty() && wait.until > clock_.monotonic()) {
      box.reply = std::move(reply);
      box.until = wait.until;
    } else {
      replies.emplace_back(std::move(reply), std::exchange(box.tasks, {}));
    }
  }
  send(replies);
}

void LeaseNotices::post(const std::vector<LeaseNotice>& notices) {
  Replies replies;
  {
    const std::lock_guard lock{mutex_};
    for (const LeaseNotice& notice : notices) {
      const auto found = mailboxes_.find({notice.ns, notice.worker_id});
      if (found != mailboxes_.end()) found->second.tasks.push_back(notice.task_id);
    }
    for (const LeaseNotice& notice : notices) {
      const auto found = mailboxes_.find({notice.ns, notice.worker_id});
      if (found == mailboxes_.end() || !found->second.reply) continue;
      replies.emplace_back(std::exchange(found->second.reply, nullptr),
                           std::exchange(found->second.tasks, {}));
    }
  }
  send(replies);
}

void LeaseNotices::end_expired() {
  const core::MonotonicTime now = clock_.monotonic();
  end_where([now](const Mailbox& box) { return box.until <= now; });
  const std::lock_guard lock{mutex_};
  std::erase_if(mailboxes_,
                [now](const auto& entry) { return !entry.second.reply && entry.second.dropped_at <= now; });
}

void LeaseNotices::end_of(const std::string& ns, const std::string& worker_id) {
  Replies replies;
  {
    const std::lock_guard lock{mutex_};
    const auto found = mailboxes_.find({ns, worker_id});
    if (found == mailboxes_.end() || !found->second.reply) return;
    replies.emplace_back(std::exchange(found->second.reply, nullptr), std::vector<core::TaskId>{});
  }
  send(replies);
}

void LeaseNotices::end_all() {
  end_where([](const Mailbox&) { return true; });
}

void LeaseNotices::end_where(const std::function<bool(const Mailbox&)>& is_over) {
  Replies replies;
  {
    const std::lock_guard lock{mutex_};
    for (auto& [holder, box] : mailboxes_) {
      if (box.reply && is_over(box))
        replies.emplace_back(std::exchange(box.reply, nullptr), std::vector<core::TaskId>{});
    }
  }
  send(replies);
}

void LeaseNotices::send(const Replies& replies) {
  for (const auto& [reply, tasks] : replies) reply(tasks);
}

}  // namespace pawl::engine
