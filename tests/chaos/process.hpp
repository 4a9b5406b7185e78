#pragma once
// A child process that a campaign starts and sends signals to. Its output goes to a file, so that it never
// blocks on a reader. It is killed with its owner, and when the thread that started it ends.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace pawl::chaos {

class Process {
 public:
  // `command` begins with the program's path, or with its name to search in PATH.
  Process(std::vector<std::string> command, const std::string& log);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for the end. Returns the exit code, or -N if signal N ended the process.
  int wait();
  // The exit code as of `wait`, if the process has ended.
  [[nodiscard]] std::optional<int> ended();
  // Whether SIGSTOP has stopped it.
  [[nodiscard]] bool is_stopped() const;

 private:
  pid_t pid_ = -1;
  std::optional<int> end_;
};

// Runs the command to its end. Throws its output if it fails.
void run_to_end(std::vector<std::string> command, const std::string& log);

[[nodiscard]] std::string text_of_file(const std::string& path);

}  // namespace pawl::chaos
