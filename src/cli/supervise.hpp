#pragma once
// A child process of `pawl dev`: another command of this same program, in a process group of its own so that
// a Ctrl-C ends the children in the right order and not all at once. One thread.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "core/env.hpp"
#include "core/result.hpp"
#include "net/descriptor.hpp"

namespace pawl::cli {

// Its argv[0]: it does not say again what the process that started it has said.
inline constexpr const char* kChildName = "pawl-child";

class Child {
 public:
  // The words of the command after `pawl`, and what it has in its environment beside what this process has,
  // as NAME=VALUE. Its standard output can be read with `read_line`; standard error is shared.
  [[nodiscard]] static core::Result<Child> start(std::vector<std::string> words,
                                                 std::vector<std::string> variables = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills it if it still runs

  // The next line it writes; empty when it ends without one.
  [[nodiscard]] std::string read_line() const;
  // Whether it has ended; does not wait.
  [[nodiscard]] bool has_ended();
  // Sends it a signal if it still runs.
  void signal(int number) const;
  // Asks it to end and waits until it has.
  void stop();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Child(pid_t pid, net::Descriptor out) : pid_(pid), out_(std::move(out)) {}

  pid_t pid_ = -1;  // below 0: collected
  net::Descriptor out_;
};

// How long a child that died stays so: one that dies as soon as it lives is started again ever more rarely.
class Rest {
 public:
  explicit Rest(core::Clock& clock) : clock_(clock) {}

  void started();
  // Of one that is dead.
  [[nodiscard]] bool is_over();

 private:
  core::Clock& clock_;
  core::MonotonicTime started_at_ = {};
  std::optional<core::MonotonicTime> over_at_ = {};
  core::Duration length_ = {};
};

}  // namespace pawl::cli
