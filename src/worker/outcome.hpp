#pragma once
// How a handler ended, as the task is to be told of. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "client/http_caller.hpp"
#include "core/result.hpp"
#include "worker/process.hpp"

namespace pawl::worker {

struct Outcome {
  enum class Kind : std::uint8_t { completed, failed };

  Kind kind = Kind::completed;
  std::string output = "null";  // JSON, where it completed
  std::string code = {};        // and the error, where it failed
  std::string message = {};
  bool retryable = true;

  bool operator==(const Outcome&) const = default;
};

[[nodiscard]] Outcome failure(std::string code, std::string message, bool retryable);

// Exit 0 completes with what was written to stdout; any other end fails with the end of stderr as the
// message.
[[nodiscard]] Outcome outcome_of(const ProcessEnd& end);
// 2xx completes with the body.
[[nodiscard]] Outcome outcome_of(const core::Result<client::HttpAnswer>& answer);

// JSON as it is, other text as a JSON string, nothing as null.
[[nodiscard]] std::string as_json(std::string_view text);
// Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

// The report that tells it.
[[nodiscard]] std::string report_text(const std::string& task_id, std::int64_t fence, const Outcome& outcome);

}  // namespace pawl::worker
