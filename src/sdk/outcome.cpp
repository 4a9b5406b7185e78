#include "sdk/outcome.hpp"

#include <algorithm>

#include "core/base/limits.hpp"
#include "core/task/command.hpp"
#include "pawl/error.hpp"
#include "pawl/json.hpp"
#include "worker/outcome.hpp"

namespace pawl::detail {

namespace {

Outcome failed_now(std::string code, const char* message, bool retryable) {
  Outcome outcome = failed_with({.code = std::move(code), .message = message, .retryable = retryable});
  outcome.thrown = std::current_exception();
  return outcome;
}

}  // namespace

Outcome outcome_of(const std::function<std::string()>& call) {
  try {
    return {.output = call()};
  } catch (const Unwind&) {
    return {.kind = Outcome::Kind::unwound};
  } catch (const RetryAfter& failure) {
    Outcome outcome = failed_now(failure.code(), failure.what(), true);
    outcome.retry_after = failure.wait();
    return outcome;
  } catch (const Failure& failure) {
    return failed_now(failure.code(), failure.what(), failure.is_retryable());
  } catch (const BadJson& bad) {
    return failed_now(bad.code(), bad.what(), false);
  } catch (const Error& error) {
    return failed_now(error.code(), error.what(), true);
  } catch (const std::exception& exception) {
    return failed_now("exception", exception.what(), true);
  } catch (...) {
    return failed_now("exception", "something that is no std::exception was thrown", true);
  }
}

Outcome failed_with(core::TaskError error) {
  return {.kind = Outcome::Kind::failed, .error = std::move(error)};
}

// Makes the error storable, whatever user code put in it.
core::TaskError error_to_keep(const Outcome& outcome) {
  core::TaskError error = outcome.error;
  if (!core::check_name("code", error.code)) error.code = "exception";
  error.message = worker::as_utf8(error.message.substr(0, core::kErrorMessageBytesMax / 4));
  return error;
}

}  // namespace pawl::detail
