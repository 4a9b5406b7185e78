#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/open_store.hpp"
#include "examples/survive/survive.hpp"
#include "runtime/env.hpp"
#include "runtime/runtime.hpp"

namespace pawl::examples {

using namespace std::chrono_literals;

namespace {

pid_t start_worker(const std::string& program, const std::string& name, const std::string& file) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(program.c_str(), program.c_str(), "--worker", name.c_str(), file.c_str(), nullptr);
    ::_exit(127);
  }
  return pid;
}

bool enqueue_all(core::Api& api) {
  core::EnqueueTasks batch;
  for (int i = 0; i < kTasks; ++i) {
    core::TaskSpec task;
    task.type = "email.send";
    task.queue = kQueue;
    task.payload = {fmt::format(R"({{"to":"customer-{}@example.org"}})", i)};
    batch.tasks.push_back(std::move(task));
  }
  return api.enqueue_batch(std::move(batch)).ok();
}

core::QueueCounts counts_of(core::Api& api) {
  const auto queues = api.list_queues("default");
  if (!queues) return {};
  for (const core::Queue& queue : *queues) {
    if (queue.name == kQueue) return queue.counts;
  }
  return {};
}

void show_bar(std::int64_t done, const core::QueueCounts& counts) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  constexpr std::int64_t kWidth = 40;
  const auto filled = static_cast<std::size_t>(done * kWidth / kTasks);
  if (is_terminal) {
    fmt::print("\r  [{:#<{}}{:.<{}}] {:>4} of {} done, {:>3} held, {:>4} waiting ", "", filled, "",
               kWidth - filled, done, kTasks, counts.claimed + counts.running, counts.pending);
    std::fflush(stdout);
  }
}

void say(const std::string& line) {
  fmt::print("{}{}\n", ::isatty(STDOUT_FILENO) == 1 ? "\r\033[K" : "", line);
  std::fflush(stdout);
}

// Watches until `done` tasks are completed.
void watch_until(core::Api& api, std::int64_t done) {
  for (std::int64_t so_far = 0; so_far < done;) {
    const core::QueueCounts counts = counts_of(api);
    so_far = kTasks - counts.pending - counts.scheduled - counts.blocked - counts.claimed - counts.running;
    show_bar(so_far, counts);
    std::this_thread::sleep_for(20ms);
  }
}

struct Account {
  int completed = 0;
  int other = 0;
  int completions = 0;  // attempts recorded as the one that completed the task
  int leases_lost = 0;
  std::map<std::string, int> by_worker;
};

// Counts the tasks from the store's records, one by one.
Account account_of(core::Api& api) {
  Account account;
  core::ListTasks list{.query = {.queue = kQueue}, .limit = core::kPageMax};
  while (true) {
    const auto page = api.list_tasks(list);
    if (!page) return {};
    for (const core::Task& task : page->items) {
      task.status == core::TaskStatus::completed ? ++account.completed : ++account.other;
      const auto details = api.get_task("default", task.id);
      if (!details) return {};
      for (const core::AttemptView& attempt : details->attempts) {
        if (attempt.outcome == core::AttemptOutcome::lease_expired) ++account.leases_lost;
        if (attempt.outcome != core::AttemptOutcome::completed) continue;
        ++account.completions;
        ++account.by_worker[attempt.worker_id];
      }
    }
    if (!page->next_cursor) return account;
    list.cursor = *page->next_cursor;
  }
}

int show_account(const Account& account) {
  say("");
  say("The account, read back from the store:");
  for (const auto& [worker, count] : account.by_worker)
    say(fmt::format("  {} completed {} tasks", worker, count));
  say(fmt::format("  {} leases were lost with the killed worker, found when they ended, and done again",
                  account.leases_lost));
  say(fmt::format("  {} of {} tasks completed, each recorded {}; {} lost", account.completed, kTasks,
                  account.completions == account.completed ? "once" : "NOT ONCE",
                  kTasks - account.completed));
  const bool is_right = account.completed == kTasks && account.completions == kTasks && account.other == 0;
  return is_right ? 0 : 1;
}

}  // namespace

int run_show(const std::string& program) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("pawl-survive-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "pawl.db").string();
  int result = 1;
  {
    runtime::SystemClock clock;
    runtime::SystemRandom random;
    const auto store =
        client::open_store({.type = client::StoreType::sqlite, .location = file}, clock, random);
    runtime::Runtime runtime{*store, clock, random};
    core::Api& api = runtime.api();
    if (!enqueue_all(api)) return 1;
    say(fmt::format("{} tasks are in an embedded SQLite file. Two worker processes take them.", kTasks));
    const pid_t ada = start_worker(program, "worker-ada", file);
    const pid_t bob = start_worker(program, "worker-bob", file);

    watch_until(api, kTasks / 2);
    ::kill(ada, SIGKILL);
    ::waitpid(ada, nullptr, 0);
    const auto held =
        api.list_tasks({.query = {.queue = kQueue, .worker_id = "worker-ada"}, .limit = core::kPageMax});
    say(
        fmt::format("Half way: worker-ada was killed with SIGKILL while it held {} tasks. Their leases run "
                    "for two seconds.",
                    held ? held->items.size() : 0));
    watch_until(api, kTasks);
    say("All done.");
    result = show_account(account_of(api));
    ::kill(bob, SIGTERM);
    ::waitpid(bob, nullptr, 0);
  }
  std::filesystem::remove_all(folder);
  return result;
}

}  // namespace pawl::examples
