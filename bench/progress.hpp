#pragma once
// A progress bar on standard error if it is a terminal; otherwise no output.

#include <string>

namespace pawl::bench {

class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the line

  void show(double fraction, const std::string& note);

 private:
  std::string what_;
  bool is_terminal_;
};

}  // namespace pawl::bench
