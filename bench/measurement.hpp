#pragma once
// One figure of a benchmark and its output: a row for people, or a JSON object per line for programs.

#include <optional>
#include <string>

namespace pawl::bench {

struct Measurement {
  std::string workload = {};
  std::string metric = {};
  std::string store = {};
  std::string mode = "in_process";
  double value = 0;
  std::string unit = {};
  std::optional<double> baseline = {};    // with one statement and commit per operation, in the same run
  std::optional<double> ratio = {};       // to the baseline, to the smallest or empty case, or to in process
  std::optional<double> in_process = {};  // without the server, in the same run
};

[[nodiscard]] std::string to_json(const Measurement& measurement);
[[nodiscard]] std::string to_row(const Measurement& measurement);

}  // namespace pawl::bench
