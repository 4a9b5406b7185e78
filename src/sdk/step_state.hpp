#pragma once
// One attempt at a step: the state behind a pawl::Step. Immutable, so any thread may read it.

#include <stop_token>
#include <string>
#include <utility>

#include "core/run/run.hpp"

namespace pawl::detail {

class StepState {
 public:
  struct Attempt {
    core::RunId run_id = {};
    std::string step_id = {};
    int number = 1;
  };
  StepState(Attempt attempt, std::stop_token stop) : attempt_(std::move(attempt)), stop_(std::move(stop)) {}

  [[nodiscard]] const core::RunId& run_id() const { return attempt_.run_id; }
  [[nodiscard]] const std::string& step_id() const { return attempt_.step_id; }
  [[nodiscard]] int attempt() const { return attempt_.number; }
  [[nodiscard]] const std::stop_token& stop_token() const { return stop_; }
  [[nodiscard]] std::string operation_key() const {
    return core::operation_key(attempt_.run_id, attempt_.step_id);
  }
  [[nodiscard]] std::string execution_key() const {
    return core::execution_key(attempt_.run_id, attempt_.step_id, attempt_.number);
  }

  // The step whose function runs on this thread; null if there is none.
  [[nodiscard]] static const StepState* here();

 private:
  Attempt attempt_;
  std::stop_token stop_;
};

// Sets StepState::here() while a step's function runs on this thread.
class StepHere {
 public:
  explicit StepHere(const StepState& state);
  StepHere(const StepHere&) = delete;
  StepHere& operator=(const StepHere&) = delete;
  ~StepHere();

 private:
  const StepState* outer_;
};

}  // namespace pawl::detail
