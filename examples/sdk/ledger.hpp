#pragma once
// Stands for an outside service: each effect is written immediately as a line of a file.

#include <fstream>
#include <string>

class Ledger {
 public:
  explicit Ledger(std::string file) : file_(std::move(file)) {}
  void write(const std::string& line) const { std::ofstream{file_, std::ios::app} << line << std::endl; }

 private:
  std::string file_;
};
