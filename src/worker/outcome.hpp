#pragma once
// The outcome of a handler, as it is reported for its task. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "client/http_caller.hpp"
#include "core/base/result.hpp"
#include "worker/process.hpp"

namespace pawl::worker {

struct Outcome {
  enum class Kind : std::uint8_t { completed, failed };

  Kind kind = Kind::completed;
  std::string output = "null";  // JSON, if it completed
  std::string code = {};        // the error, if it failed
  std::string message = {};
  bool retryable = true;

  bool operator==(const Outcome&) const = default;
};

[[nodiscard]] Outcome failure(std::string code, std::string message, bool retryable);

// Exit 0 completes with stdout as the output; any other end fails with the end of stderr as the message.
[[nodiscard]] Outcome outcome_of(const ProcessEnd& end);
// 2xx completes with the body.
[[nodiscard]] Outcome outcome_of(const core::Result<client::HttpAnswer>& answer);

// JSON is returned unchanged, other text as a JSON string, empty text as null.
[[nodiscard]] std::string as_json(std::string_view text);
// Replaces bytes that are not UTF-8 with U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

// The report of the outcome, as JSON.
[[nodiscard]] std::string report_text(const std::string& task_id, std::int64_t fence, const Outcome& outcome);

}  // namespace pawl::worker
