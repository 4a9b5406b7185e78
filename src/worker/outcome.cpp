#include "worker/outcome.hpp"

#include <utility>

#include <fmt/format.h>

#include "client/raw_json.hpp"
#include "core/json/json.hpp"

namespace pawl::worker {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr auto kSpace = " \t\r\n";
  const auto from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

std::string message_or(std::string_view said, std::string otherwise) {
  const auto text = trimmed(said);
  return text.empty() ? std::move(otherwise) : as_utf8(text);
}

bool is_temporary(int status) { return status == 408 || status == 425 || status == 429 || status >= 500; }

}  // namespace

Outcome failure(std::string code, std::string message, bool retryable) {
  return {.kind = Outcome::Kind::failed,
          .code = std::move(code),
          .message = std::move(message),
          .retryable = retryable};
}

Outcome outcome_of(const ProcessEnd& end) {
  if (!end.start_error.empty())
    return failure("not_started", "the handler did not start: " + end.start_error, true);
  if (end.output_too_long) {
    return failure("output_too_large", "the handler wrote more to stdout than a task may have as its output",
                   false);
  }
  if (end.signal) {
    return failure(fmt::format("signal_{}", *end.signal),
                   message_or(end.error_tail, fmt::format("the handler was ended by signal {}", *end.signal)),
                   true);
  }
  const int code = end.exit_code.value_or(0);
  if (code == 0) return {.output = as_json(end.output)};
  // 75 (EX_TEMPFAIL) is retryable too: the retry policy decides, and may list exit_N as not retryable.
  return failure(fmt::format("exit_{}", code),
                 message_or(end.error_tail, fmt::format("the handler exited with code {}", code)), true);
}

Outcome outcome_of(const core::Result<client::HttpAnswer>& answer) {
  if (!answer) {
    const auto& problem = answer.problem();
    const bool too_large = problem.code == core::ProblemCode::payload_too_large;
    // Refused by this worker before anything was sent: each retry would be refused too.
    const bool refused =
        problem.code == core::ProblemCode::forbidden || problem.code == core::ProblemCode::invalid_argument;
    return failure(too_large ? "output_too_large" : std::string{core::kind_of(problem.code).name},
                   problem.detail, !too_large && !refused);
  }
  if (answer->status >= 200 && answer->status < 300) return {.output = as_json(answer->body)};
  constexpr std::size_t kMessageMax = 4096;
  const auto said = std::string_view{answer->body}.substr(0, kMessageMax);
  const bool redirect = answer->status >= 300 && answer->status < 400;
  const std::string otherwise = redirect ? "the handler's address redirects, which is not followed"
                                         : fmt::format("the handler answered with status {}", answer->status);
  return failure(fmt::format("http_{}", answer->status), redirect ? otherwise : message_or(said, otherwise),
                 is_temporary(answer->status));
}

std::string as_json(std::string_view text) {
  const auto value = trimmed(text);
  if (value.empty()) return "null";
  if (!core::json_error(value)) return std::string{value};
  return core::json_quote(as_utf8(value));
}

std::string as_utf8(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    while (length <= 4 && core::utf8_length(text.substr(at, length)) != 1) ++length;
    if (length > 4) {
      clean += "\xEF\xBF\xBD";
      ++at;
    } else {
      clean += text.substr(at, length);
      at += length;
    }
  }
  return clean;
}

std::string report_text(const std::string& task_id, std::int64_t fence, const Outcome& outcome) {
  client::ObjectText report;
  report.text("task_id", task_id).number("fence", fence);
  if (outcome.kind == Outcome::Kind::completed) {
    return report.text("action", "complete").raw("output", outcome.output).str();
  }
  const auto error = client::ObjectText{}
                         .text("code", outcome.code)
                         .text("message", outcome.message)
                         .raw("retryable", outcome.retryable ? "true" : "false")
                         .str();
  return report.text("action", "fail").raw("error", error).str();
}

}  // namespace pawl::worker
