#pragma once
// Stands for the outside world: what was done there is a line of a file, written at once.

#include <fstream>
#include <string>

class Ledger {
 public:
  explicit Ledger(std::string file) : file_(std::move(file)) {}
  void write(const std::string& line) const { std::ofstream{file_, std::ios::app} << line << std::endl; }

 private:
  std::string file_;
};
