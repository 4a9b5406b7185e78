#pragma once
// Random definitions: chains, joins, empty fan-outs, conditions that skip, tolerated failures, timers,
// signals, children, compensations, deadlines.

#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>

namespace pawl::testing {

class RandomGraphs {
 public:
  // Uniform from 0 to `bound` - 1.
  using Draw = std::function<std::uint64_t(std::uint64_t bound)>;

  // All activities have one type; children are runs of `leaf`.
  RandomGraphs(std::string activity, Draw below) : activity_(std::move(activity)), below_(std::move(below)) {}

  // The text of a definition, as JSON.
  [[nodiscard]] std::string definition(const std::string& name) const {
    const int size = static_cast<int>(below_(9)) + 2;
    std::string tasks;
    for (int i = 0; i < size; ++i) {
      const std::string task = task_at(i);
      tasks += (tasks.empty() ? "" : ",") + task;
      if (task.find("compensate") != std::string::npos)
        tasks += fmt::format(R"(,{{"id":"u{}","type":"compensation","activity":"{}"}})", i, activity_);
    }
    const char* deadline = one_in(3) ? R"(,"deadline":"2m")" : "";
    return fmt::format(R"({{"name":"{}","tasks":[{}]{}}})", name, tasks, deadline);
  }

  // One task with two attempts.
  [[nodiscard]] std::string leaf() const {
    return fmt::format(R"({{"name":"leaf","tasks":[{{"id":"x","activity":"{}",)"
                       R"("retry":{{"max_attempts":2,"initial_interval":"1s"}}}}]}})",
                       activity_);
  }

 private:
  [[nodiscard]] bool one_in(std::uint64_t n) const { return below_(n) == 0; }

  [[nodiscard]] std::string task_at(int index) const {
    std::string after;
    for (int before = 0; before < index; ++before) {
      if (one_in(3)) after += fmt::format(R"({}"n{}")", after.empty() ? "" : ",", before);
    }
    std::string task = fmt::format(R"({{"id":"n{}","after":[{}])", index, after);
    if (one_in(5)) task += R"(,"on_error":"continue")";
    if (one_in(5)) task += fmt::format(R"(,"when":{{"$gt":[{{"$ref":"#/input/n"}},{}]}})", below_(10));
    switch (below_(8)) {
      case 0: return task + fmt::format(R"(,"type":"sleep","duration":"{}s"}})", below_(20) + 1);
      case 1: return task + R"(,"type":"signal","signal":"s","timeout":"30s"})";
      case 2: return task + R"(,"type":"workflow","workflow":"leaf"})";
      default: break;
    }
    if (one_in(4)) task += fmt::format(R"(,"for_each":[{}])", one_in(3) ? "" : "1,2,3");
    if (one_in(2)) task += fmt::format(R"(,"compensate":"u{}")", index);
    return task + fmt::format(R"(,"activity":"{}","timeout":"40s",)"
                              R"("retry":{{"max_attempts":3,"initial_interval":"1s"}}}})",
                              activity_);
  }

  std::string activity_;
  Draw below_;
};

}  // namespace pawl::testing
