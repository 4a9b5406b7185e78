#include "worker/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "net/descriptor.hpp"
#include "worker/process_group.hpp"
#include "worker/spawn.hpp"

namespace pawl::worker {

namespace {

struct Pipe {
  net::Descriptor read;
  net::Descriptor write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{.read = net::Descriptor{ends[0]}, .write = net::Descriptor{ends[1]}};
}

// glibc 2.36 declares pidfd_open without C linkage, which C++ cannot link.
int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

void make_nonblocking(const net::Descriptor& end) { fcntl(end.get(), F_SETFL, O_NONBLOCK); }

class Child {
 public:
  Child(const ProcessSpec& spec, ProcessWatch& watch, core::Clock& clock)
      : spec_(spec), watch_(watch), clock_(clock) {}

  ProcessEnd run() {
    if (const int error = start(); error != 0) return {.start_error = std::strerror(error)};
    while (!ended_) step();
    take_status();
    if (is_stopping()) let_group_end();
    read_rest();
    return std::move(end_);
  }

 private:
  int start() {
    auto input = make_pipe();
    auto output = make_pipe();
    auto errors = make_pipe();
    if (!input || !output || !errors) return errno;
    const auto spawned = spawn_shell({.command = spec_.command,
                                      .environment = spec_.environment,
                                      .input = input->read.get(),
                                      .output = output->write.get(),
                                      .errors = errors->write.get()});
    if (spawned.error != 0) return spawned.error;
    pid_ = spawned.pid;
    process_ = net::Descriptor{open_pidfd(pid_)};
    if (!process_.is_open()) return give_up(errno);
    input_ = std::move(input->write);
    output_ = std::move(output->read);
    errors_ = std::move(errors->read);
    for (const auto* end : {&input_, &output_, &errors_}) make_nonblocking(*end);
    if (spec_.input.empty()) input_.close();
    return 0;
  }

  // The process runs, but its end could not be observed.
  int give_up(int error) const {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    return error;
  }

  void step() {
    ended_ = pump(milliseconds_to_wait());
    if (!ended_) decide();
  }

  // Waits for the first event and moves data through the pipes; true when the process has ended. `poll`
  // ignores negative descriptors.
  bool pump(int milliseconds) {
    std::array<pollfd, 5> waits{pollfd{process_.get(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0},
                                pollfd{errors_.get(), POLLIN, 0}, pollfd{input_.get(), POLLOUT, 0},
                                pollfd{is_stopping() ? -1 : watch_.wake_fd(), POLLIN, 0}};
    poll(waits.data(), waits.size(), milliseconds);
    if (waits[3].revents != 0) write_input();
    if (waits[1].revents != 0) read_output();
    if (waits[2].revents != 0) read_errors();
    return (waits[0].revents & POLLIN) != 0;
  }

  void decide() {
    if (!is_stopping() && watch_.must_stop()) {
      end_.stopped = true;
      stop();
    }
    if (is_stopping() && clock_.monotonic() >= *kill_at_) kill(-pid_, SIGKILL);
  }

  void stop() {
    if (is_stopping()) return;
    kill_at_ = clock_.monotonic() + spec_.kill_after;
    kill(-pid_, SIGTERM);
  }

  [[nodiscard]] bool is_stopping() const { return kill_at_.has_value(); }

  int milliseconds_to_wait() {
    const auto until = is_stopping() ? *kill_at_ : watch_.look_again_at();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.monotonic()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, is_stopping() ? 10 : 0, 60'000));
  }

  void write_input() {
    const auto rest = std::string_view{spec_.input}.substr(written_);
    const auto count = write(input_.get(), rest.data(), rest.size());
    if (count > 0) written_ += static_cast<std::size_t>(count);
    const bool refused =
        count < 0 && errno != EAGAIN && errno != EINTR;  // it does not read its input, which is allowed
    if (refused || written_ == spec_.input.size()) input_.close();
  }

  // False at the end of the pipe or when there is nothing to read now.
  static bool read_some(net::Descriptor& from, std::string& into) {
    std::array<char, 65'536> buffer{};
    const auto count = read(from.get(), buffer.data(), buffer.size());
    if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
    const bool over = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    if (over) from.close();
    return count > 0;
  }

  bool read_output() {
    const bool more = read_some(output_, end_.output);
    if (end_.output.size() <= spec_.output_max) return more;
    end_.output_too_long = true;
    end_.output.resize(spec_.output_max);
    if (!ended_) stop();
    return more;
  }

  bool read_errors() {
    const bool more = read_some(errors_, end_.error_tail);
    if (end_.error_tail.size() > spec_.error_tail_max) {
      end_.error_tail.erase(0, end_.error_tail.size() - spec_.error_tail_max);
    }
    return more;
  }

  void take_status() {
    int status = 0;
    waitpid(pid_, &status, 0);
    process_.close();
    if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  }

  // The shell has ended, but processes that it started may clean up until the grace period ends. The number
  // remains the group's as long as the group has a process, although the shell has given it back.
  void let_group_end() {
    constexpr int kLookAgainMax = 160;
    int look_again = 10;  // milliseconds: no event announces the end of a process that is not our child
    while (kill(-pid_, 0) == 0 || errno != ESRCH) {
      if (clock_.monotonic() >= *kill_at_ || !has_living_process(pid_)) {
        kill(-pid_, SIGKILL);
        return;
      }
      pump(std::min(look_again, milliseconds_to_wait()));
      look_again = std::min(2 * look_again, kLookAgainMax);
    }
  }

  // Reads the rest of the pipes, without waiting for a pipe that a child of the handler holds open.
  void read_rest() {
    while (output_.is_open() && !end_.output_too_long && read_output()) {
    }
    while (errors_.is_open() && read_errors()) {
    }
  }

  const ProcessSpec& spec_;
  ProcessWatch& watch_;
  core::Clock& clock_;
  pid_t pid_ = 0;
  net::Descriptor process_, input_, output_, errors_;
  std::size_t written_ = 0;
  bool ended_ = false;
  std::optional<core::MonotonicTime> kill_at_;
  ProcessEnd end_;
};

}  // namespace

ProcessEnd run_process(const ProcessSpec& spec, ProcessWatch& watch, core::Clock& clock) {
  return Child{spec, watch, clock}.run();
}

}  // namespace pawl::worker
