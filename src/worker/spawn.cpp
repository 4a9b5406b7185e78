#include "worker/spawn.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/descriptor.hpp"

namespace pawl::worker {

namespace {

constexpr auto kShell = "/bin/sh";

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// All that the child needs, allocated before the fork: the child of a process with threads must not allocate.
struct Plan {
  std::array<int, 3> standard;  // in the order of their numbers
  char* const* words;
  char* const* environment;
  pid_t parent;
  int failure;  // a pipe for errno; a successful exec closes it
  int descriptors_max;
};

void reset_signals() {
  for (const int number : {SIGPIPE, SIGTERM, SIGINT}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A connection of the worker that stayed open in a handler would make the worker look alive.
void close_others_at_exec(int descriptors_max) {
  constexpr int kFirst = STDERR_FILENO + 1;
  if (syscall(SYS_close_range, kFirst, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int number = kFirst; number < descriptors_max; ++number) fcntl(number, F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void fail(const Plan& plan, int error) {
  static_cast<void>(!write(plan.failure, &error, sizeof error));
  _exit(127);
}

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const Plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != plan.parent) _exit(127);  // the parent ended before the signal was set up
  for (int number = 0; number < 3; ++number) {
    if (dup2(plan.standard[static_cast<std::size_t>(number)], number) < 0) fail(plan, errno);
  }
  close_others_at_exec(plan.descriptors_max);
  reset_signals();
  execve(kShell, plan.words, plan.environment);
  fail(plan, errno);
}

}  // namespace

Spawned spawn_shell(const SpawnSpec& spec) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {.error = errno};
  const net::Descriptor told{ends[0]};
  net::Descriptor failure{ends[1]};
  std::vector<std::string> words{kShell, "-c", spec.command};
  auto environment = spec.environment;
  const auto word_pointers = pointers_to(words);
  const auto environment_pointers = pointers_to(environment);
  const Plan plan{.standard = {spec.input, spec.output, spec.errors},
                  .words = word_pointers.data(),
                  .environment = environment_pointers.data(),
                  .parent = getpid(),
                  .failure = failure.get(),
                  .descriptors_max = getdtablesize()};
  Spawned spawned{.pid = fork()};
  if (spawned.pid < 0) return {.error = errno};
  if (spawned.pid == 0) become(plan);
  failure.close();
  if (read(told.get(), &spawned.error, sizeof spawned.error) <= 0) return {.pid = spawned.pid};
  waitpid(spawned.pid, nullptr, 0);
  return spawned;
}

}  // namespace pawl::worker
