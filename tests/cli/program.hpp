#pragma once
// The pawl program as a user runs it: a process, its output and its exit code. The destructor kills it.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "net/descriptor.hpp"
#include "tests/places/places.hpp"

namespace pawl::testing {

using Variables = std::map<std::string, std::string>;

class Program {
 public:
  // With these variables and PATH, and nothing else of the environment.
  explicit Program(std::vector<std::string> arguments, Variables variables = {},
                   const std::string& input = "")
      : Program(pawl_binary(), std::move(arguments), std::move(variables), input) {}
  // Another program.
  Program(const std::string& path, std::vector<std::string> arguments, Variables variables,
          const std::string& input = "");
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  // Waits for the first line of stdout.
  std::string read_line();
  // Waits until stdout contains the text. Returns false if stdout ends before.
  bool read_until(std::string_view text);
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  // Waits for the end. Returns the exit code, or -N if signal N ended it.
  int wait();
  // The whole output, after `wait`.
  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }

 private:
  pid_t pid_ = -1;
  net::Descriptor out_pipe_;
  net::Descriptor err_pipe_;
  std::string out_;
  std::string err_;
};

struct Ended {
  int exit_code = 0;
  std::string out;
  std::string err;
};
Ended run_pawl(std::vector<std::string> arguments, Variables variables = {}, const std::string& input = "");

}  // namespace pawl::testing
