#include "worker/process.hpp"

#include <csignal>
#include <filesystem>
#include <functional>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/descriptor.hpp"
#include "runtime/env.hpp"
#include "tests/support/stores.hpp"
#include "worker/process_group.hpp"

namespace pawl::worker {
namespace {

using namespace std::chrono_literals;

// Lets the process run until `enough` returns true.
class Leash final : public ProcessWatch {
 public:
  Leash(core::Clock& clock, std::function<bool()> enough) : clock_(clock), enough_(std::move(enough)) {}
  bool must_stop() override { return enough_(); }
  core::MonotonicTime look_again_at() override { return clock_.monotonic() + 1ms; }
  [[nodiscard]] int wake_fd() override { return wake_.get(); }

 private:
  core::Clock& clock_;
  std::function<bool()> enough_;
  net::Descriptor wake_{eventfd(0, EFD_CLOEXEC)};
};

class Process : public ::testing::Test {
 protected:
  ProcessEnd run(const ProcessSpec& spec) {
    Leash leash{clock, [] { return false; }};
    return run_process(spec, leash, clock);
  }
  // Stops the process once it has created the file.
  ProcessEnd run_until_there(const ProcessSpec& spec, const std::string& file) {
    Leash leash{clock, [&] { return std::filesystem::exists(file); }};
    return run_process(spec, leash, clock);
  }

  runtime::SystemClock clock;
};

TEST_F(Process, GetsItsInputAndGivesItsOutput) {
  const auto end = run({.command = "cat; echo oops >&2", .input = "{\"a\": 1}"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output, "{\"a\": 1}");
  EXPECT_EQ(end.error_tail, "oops\n");
}

TEST_F(Process, GetsInputLargerThanAPipe) {
  const auto end = run({.command = "wc -c", .input = std::string(3'000'000, 'x')});
  EXPECT_EQ(std::stoi(end.output), 3'000'000);
}

TEST_F(Process, NeedNotReadItsInput) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto end = run({.command = "exec <&-; exit 3", .input = std::string(3'000'000, 'x')});
  EXPECT_EQ(end.exit_code, 3);
}

TEST_F(Process, HasTheEnvironmentItIsGiven) {
  EXPECT_EQ(run({.command = "echo $PAWL_TASK_ID", .environment = {"PAWL_TASK_ID=7"}}).output, "7\n");
}

TEST_F(Process, InheritsNothingThatTheWorkerHasOpen) {
  const net::Descriptor leaky{eventfd(0, 0)};
  const auto end = run({.command = "test -e /proc/self/fd/" + std::to_string(leaky.get())});
  EXPECT_EQ(end.exit_code, 1);
}

TEST_F(Process, ReturnsItsExitCodeOrItsSignal) {
  EXPECT_EQ(run({.command = "exit 75"}).exit_code, 75);
  EXPECT_EQ(run({.command = "kill -9 $$"}).signal, SIGKILL);
  EXPECT_EQ(run({.command = "kill -9 $$"}).exit_code, std::nullopt);
}

TEST_F(Process, IsStoppedAtItsOutputLimit) {
  const auto end = run({.command = "yes", .output_max = 1000});
  EXPECT_TRUE(end.output_too_long);
  EXPECT_EQ(end.output.size(), 1000U);
}

TEST_F(Process, KeepsTheTailOfItsStderr) {
  const auto end = run({.command = "printf '%05000d' 0 >&2; printf END >&2", .error_tail_max = 10});
  EXPECT_EQ(end.error_tail, "0000000END");
}

TEST_F(Process, IsStoppedBySigtermOnRequest) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() + "/ready";
  const auto end = run_until_there(
      {.command = "trap 'echo ended; exit 4' TERM; : >" + file + "; while :; do :; done"}, file);
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.output, "ended\n");
  EXPECT_EQ(end.exit_code, 4);
}

TEST_F(Process, IsKilledWithItsGroupIfItIgnoresSigterm) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() + "/ready";
  const auto fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const net::Descriptor reader{open(fifo.c_str(), O_RDONLY | O_NONBLOCK)};
  const auto end = run_until_there(
      {.command = "trap '' TERM; sleep 1000 >" + fifo + " & : >" + file + "; wait; sleep 1000",
       .kill_after = 50ms},
      file);
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.signal, SIGKILL);
  pollfd hang_up{.fd = reader.get(), .events = POLLIN, .revents = 0};  // set when the last writer is gone
  EXPECT_EQ(poll(&hang_up, 1, 30'000), 1);
}

// The shell dies of SIGTERM immediately, its child does not.
TEST_F(Process, MayCleanUpAfterItsShellHasEnded) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() + "/ready";
  const auto end = run_until_there({.command = "sh -c 'trap \"sleep 0.3; echo cleaned; exit\" TERM; : >" +
                                               file + "; while :; do sleep 0.01; done'; true",
                                    .kill_after = 30s},
                                   file);
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.output, "cleaned\n");
}

TEST_F(Process, IsKilledAtTheDeadlineAfterItsShellHasEnded) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() + "/ready";
  const auto fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const net::Descriptor reader{open(fifo.c_str(), O_RDONLY | O_NONBLOCK)};
  const auto end = run_until_there(
      {.command = "(trap '' TERM; exec >" + fifo + "; : >" + file + "; exec sleep 1000) & wait",
       .kill_after = 50ms},
      file);
  EXPECT_EQ(end.signal, SIGTERM);
  pollfd hang_up{.fd = reader.get(), .events = POLLIN, .revents = 0};  // set when the last writer is gone
  EXPECT_EQ(poll(&hang_up, 1, 30'000), 1);
}

TEST(ProcessGroup, LivesUntilItsLastProcessEndsEvenIfUnreaped) {
  EXPECT_TRUE(has_living_process(getpgrp()));
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    _exit(0);
  }
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(kill(-child, 0), 0) << "the kernel still has it";
  EXPECT_FALSE(has_living_process(child));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

TEST_F(Process, EndsWithoutWaitingForItsBackgroundProcesses) {
  const auto end = run({.command = "sleep 5 & echo done"});
  EXPECT_EQ(end.output, "done\n");
  EXPECT_EQ(end.exit_code, 0);
}

}  // namespace
}  // namespace pawl::worker
