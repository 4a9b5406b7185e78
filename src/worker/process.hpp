#pragma once
// Runs a program as a handler: input on stdin, stdout and the end of stderr captured, the whole process group
// ended when the watch says so. Blocks; any thread.

#include <optional>
#include <string>
#include <vector>

#include "core/env.hpp"

namespace pawl::worker {

// Decides whether a process may go on.
class ProcessWatch {
 public:
  ProcessWatch() = default;
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;
  virtual ~ProcessWatch() = default;

  [[nodiscard]] virtual bool must_stop() = 0;
  // When to ask again at the latest.
  [[nodiscard]] virtual core::MonotonicTime look_again_at() = 0;
  // Readable when it is worth asking at once.
  [[nodiscard]] virtual int wake_fd() = 0;
};

struct ProcessSpec {
  std::string command = {};  // for /bin/sh -c
  std::string input = {};
  std::vector<std::string> environment = {};  // NAME=VALUE, all of it
  std::size_t output_max = 2U << 20U;
  std::size_t error_tail_max = 4096;
  core::Duration kill_after = std::chrono::seconds{5};  // SIGKILL for what lives so long after SIGTERM
};

struct ProcessEnd {
  std::string start_error = {};  // it could not be started; then nothing else holds
  std::optional<int> exit_code = {};
  std::optional<int> signal = {};
  std::string output = {};
  std::string error_tail = {};
  bool output_too_long = false;  // it was stopped for that
  bool stopped = false;          // the watch wanted it so
};

[[nodiscard]] ProcessEnd run_process(const ProcessSpec& spec, ProcessWatch& watch, core::Clock& clock);

}  // namespace pawl::worker
