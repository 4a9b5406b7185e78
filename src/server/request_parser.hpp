#pragma once
// A request as it comes in, strictly and within the limits. Beast's parser does the reading and is known
// here only; what it does not look at is looked at here too. What could be read in two ways is refused: what
// stands between may have read it in the other.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/low_memory.hpp"
#include "server/http_server.hpp"
#include "server/request.hpp"

namespace pawl::server {

// What is wrong with a request, and HTTP's status for it.
struct Refusal {
  int status = 0;
  core::Problem problem = {};
};

class RequestParser {
 public:
  explicit RequestParser(const HttpLimits& limits);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // Takes what it can of what has come and says how many bytes that was; the rest is to come again, with more
  // behind it. Stops after the header, and at the end of the request.
  [[nodiscard]] std::size_t put(std::string_view bytes);
  // What is wrong with it. Nothing that follows can be trusted to be a request.
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }
  // Memory ran out in `put`.
  void refuse_for_lack_of_memory() { refuse(503, core::ProblemCode::unavailable, core::kOutOfMemory); }

  [[nodiscard]] bool has_header() const;
  [[nodiscard]] bool is_whole() const;

  // Of the header.
  [[nodiscard]] std::string_view method() const;
  [[nodiscard]] std::string_view target() const;
  [[nodiscard]] Incoming take_incoming() { return std::move(incoming_); }
  [[nodiscard]] bool is_head() const;
  [[nodiscard]] bool keeps_alive() const;
  [[nodiscard]] bool expects_continue() const;

  // Before the body: how large it may be.
  void limit_body(std::size_t bytes_max);
  [[nodiscard]] std::int64_t body_received() const { return static_cast<std::int64_t>(body_received_); }
  // The last that is asked of it: it lets go of everything.
  [[nodiscard]] std::string take_body();

 private:
  struct Impl;
  [[nodiscard]] std::size_t put_header(std::string_view bytes);
  [[nodiscard]] std::size_t put_body(std::string_view bytes);
  // Hands it to Beast, whose error becomes the refusal.
  [[nodiscard]] std::size_t feed(std::string_view bytes);
  // Whole lines, as they came; Beast tells neither their length nor how they were broken.
  void check_lines(std::string_view lines);
  void check_header();
  void check_framing();
  void refuse(int status, core::ProblemCode code, const std::string& detail);
  void refuse(const std::string& detail) { refuse(400, core::ProblemCode::invalid_argument, detail); }

  const HttpLimits& limits_;
  std::unique_ptr<Impl> impl_;
  std::optional<Refusal> refusal_;
  Incoming incoming_;
  std::size_t header_size_ = 0;
  std::size_t fields_ = 0;  // of the header, and then of what comes behind the body
  std::size_t body_received_ = 0;
};

}  // namespace pawl::server
