#pragma once
// The exceptions of the SDK. The library throws Error when it rejects a call. A handler throws Failure or
// RetryAfter to fail its task, step or run with a code; any other exception counts as a failure with the code
// "exception".

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace pawl {

// All durations and times of the API have microseconds. Times are UTC.
using Duration = std::chrono::microseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

// A call was rejected. code() is one of the server's error codes, such as "not_found", "invalid_argument" or
// "conflict"; what() is the message for people.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& detail) : std::runtime_error(detail), code_(std::move(code)) {}
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] std::string detail() const { return what(); }

 private:
  std::string code_;
};

// Run::result and Run::wait throw it if the run did not complete. The code and the message are those of the
// run's error.
class RunFailed : public Error {
 public:
  struct Run {
    std::string id;
    std::string state;  // "failed", "cancelled", "compensated" or "compensation_failed"
  };
  RunFailed(Run run, std::string code, const std::string& detail)
      : Error(std::move(code), detail), run_(std::move(run)) {}
  [[nodiscard]] const std::string& run_id() const { return run_.id; }
  [[nodiscard]] const std::string& state() const { return run_.state; }

 private:
  Run run_;
};

// Fails the task, step or run of the handler that throws it. The retry policy decides about another attempt;
// a failure that is not retryable gets none.
class Failure : public std::runtime_error {
 public:
  Failure(std::string code, const std::string& message, bool retryable = true)
      : std::runtime_error(message), code_(std::move(code)), is_retryable_(retryable) {}
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] std::string message() const { return what(); }
  [[nodiscard]] bool is_retryable() const { return is_retryable_; }

 private:
  std::string code_;
  bool is_retryable_;
};

// Fails the attempt and sets the delay before the next one, in place of the retry policy's backoff.
class RetryAfter : public Failure {
 public:
  explicit RetryAfter(Duration wait, const std::string& message = "asked to be tried again later",
                      std::string code = "retry_after")
      : Failure(std::move(code), message), wait_(wait) {}
  [[nodiscard]] Duration wait() const { return wait_; }

 private:
  Duration wait_;
};

// Thrown inside a workflow when a step, a task or a child run has failed for good. A workflow may catch it
// and continue.
class StepFailed : public Failure {
 public:
  StepFailed(std::string step, std::string code, const std::string& message)
      : Failure(std::move(code), message, false), step_(std::move(step)) {}
  [[nodiscard]] const std::string& step() const { return step_; }

 private:
  std::string step_;
};

}  // namespace pawl
