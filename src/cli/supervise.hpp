#pragma once
// A child process of `pawl dev`: another command of the same program. It has its own process group, so that
// Ctrl-C does not end all children concurrently and `pawl dev` can stop them in order. Not thread-safe.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/base/env.hpp"
#include "core/base/result.hpp"
#include "net/descriptor.hpp"

namespace pawl::cli {

// argv[0] of a child. A child does not repeat the warnings that its parent has printed.
inline constexpr const char* kChildName = "pawl-child";

class Child {
 public:
  // Starts a command. `words` are the words after `pawl`; `variables` are NAME=VALUE entries added to this
  // process's environment. read_line() reads the child's standard output; standard error is shared.
  [[nodiscard]] static core::Result<Child> start(std::vector<std::string> words,
                                                 std::vector<std::string> variables = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills it if it still runs

  // Reads the next line of its output; empty if it ends without one.
  [[nodiscard]] std::string read_line() const;
  // Whether it has ended. Does not wait.
  [[nodiscard]] bool has_ended();
  // Sends a signal if it still runs.
  void signal(int number) const;
  // Sends SIGTERM and waits until it has ended.
  void stop();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child(pid_t pid, net::Descriptor out) : pid_(pid), out_(std::move(out)) {}

  pid_t pid_ = -1;  // below 0: already waited for
  net::Descriptor out_;
};

// Delay before a dead child is restarted. It grows if the child dies again soon after its start.
class Rest {
 public:
  explicit Rest(core::Clock& clock) : clock_(clock) {}

  void started();
  // Whether the delay of a dead child has passed.
  [[nodiscard]] bool is_over();

 private:
  core::Clock& clock_;
  core::MonotonicTime started_at_ = {};
  std::optional<core::MonotonicTime> over_at_ = {};
  core::Duration length_ = {};
};

}  // namespace pawl::cli
