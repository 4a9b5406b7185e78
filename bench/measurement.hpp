#pragma once
// One figure of a benchmark, and how it is shown: a row for people, a JSON object a line for programs.

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
  std::optional<double> baseline = {};  // the same by one statement and commit an operation, in the same run
  std::optional<double> ratio = {};     // to the baseline, or to the smallest or empty case, or in process
  std::optional<double> in_process = {};  // the same without the server, in the same run
};

[[nodiscard]] std::string to_json(const Measurement& measurement);
[[nodiscard]] std::string to_row(const Measurement& measurement);

}  // namespace pawl::bench
