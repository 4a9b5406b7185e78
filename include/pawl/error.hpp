#pragma once
// What is thrown. `Error`: a call was refused. `Failure` and `RetryAfter`: what a handler throws to say how
// its task, step or run failed; any other exception is a failure with the code "exception".

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace pawl {

using Duration = std::chrono::microseconds;
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

// The code is one of the server's ("not_found", "invalid_argument", "conflict", …), what() says it in words.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& detail) : std::runtime_error(detail), code_(std::move(code)) {}
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] std::string detail() const { return what(); }

 private:
  std::string code_;
};

// A run ended otherwise than completed: the code and the words are those of its error.
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

// How it failed; it is tried again as its retry policy says, unless it is not retryable.
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

// It failed, and is to be tried again after this long, whatever the policy's own wait is.
class RetryAfter : public Failure {
 public:
  explicit RetryAfter(Duration wait, const std::string& message = "asked to be tried again later",
                      std::string code = "retry_after")
      : Failure(std::move(code), message), wait_(wait) {}
  [[nodiscard]] Duration wait() const { return wait_; }

 private:
  Duration wait_;
};

// A step, a task or a child of a workflow failed for good. A workflow may catch it and go on.
class StepFailed : public Failure {
 public:
  StepFailed(std::string step, std::string code, const std::string& message)
      : Failure(std::move(code), message, false), step_(std::move(step)) {}
  [[nodiscard]] const std::string& step() const { return step_; }

 private:
  std::string step_;
};

}  // namespace pawl
