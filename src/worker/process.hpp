#pragma once
// Runs a program as a handler: input on stdin, stdout and the end of stderr captured. It ends the whole
// process group when the watch requires it. Blocks. Thread-safe.

#include <optional>
#include <string>
#include <vector>

#include "core/base/env.hpp"

namespace pawl::worker {

// Decides whether a process may continue.
class ProcessWatch {
 public:
  ProcessWatch() = default;
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;
  virtual ~ProcessWatch() = default;

  [[nodiscard]] virtual bool must_stop() = 0;
  // When to check again at the latest.
  [[nodiscard]] virtual core::MonotonicTime look_again_at() = 0;
  // Readable when an immediate check is useful.
  [[nodiscard]] virtual int wake_fd() = 0;
};

struct ProcessSpec {
  std::string command = {};  // for /bin/sh -c
  std::string input = {};
  std::vector<std::string> environment = {};  // NAME=VALUE, all of it
  std::size_t output_max = 2U << 20U;
  std::size_t error_tail_max = 4096;
  core::Duration kill_after = std::chrono::seconds{5};  // SIGKILL this long after SIGTERM
};

struct ProcessEnd {
  std::string start_error = {};  // the process could not be started; nothing else is set then
  std::optional<int> exit_code = {};
  std::optional<int> signal = {};
  std::string output = {};
  std::string error_tail = {};
  bool output_too_long = false;  // the process was stopped for that
  bool stopped = false;          // the watch required it
};

[[nodiscard]] ProcessEnd run_process(const ProcessSpec& spec, ProcessWatch& watch, core::Clock& clock);

}  // namespace pawl::worker
