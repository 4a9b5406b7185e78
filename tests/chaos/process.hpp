#pragma once
// A program that a campaign starts and does things to. What it says goes into a file, so that it never waits
// for a reader. Ended with its owner, and with the thread that started it.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace pawl::chaos {

class Process {
 public:
  // `command` begins with the program's path, or its name to be looked for in PATH.
  Process(std::vector<std::string> command, const std::string& log);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for the end: its exit code, or -N if it was ended by signal N.
  int wait();
  // Its end, if it has come.
  [[nodiscard]] std::optional<int> ended();
  // Whether it stands still, by SIGSTOP.
  [[nodiscard]] bool is_stopped() const;

 private:
  pid_t pid_ = -1;
  std::optional<int> end_;
};

// Runs it to its end; throws what it said if that is no success.
void run_to_end(std::vector<std::string> command, const std::string& log);

[[nodiscard]] std::string text_of_file(const std::string& path);

}  // namespace pawl::chaos
