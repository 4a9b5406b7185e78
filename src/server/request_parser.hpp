#pragma once
// Parses a request incrementally, strictly and within limits. It wraps Beast's parser, which no other file
// uses, and adds the checks that Beast lacks. Ambiguous requests are rejected: a proxy in between may have
// read them the other way.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/low_memory.hpp"
#include "server/http_server.hpp"
#include "server/request.hpp"

namespace pawl::server {

class RequestParser {
 public:
  explicit RequestParser(const HttpLimits& limits);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // Consumes what it can of the input and returns the number of bytes; pass the rest again, with more input
  // appended. Stops after the header and at the end of the request.
  [[nodiscard]] std::size_t put(std::string_view bytes);
  // Why the request is invalid. No later input can be trusted to be a request.
  [[nodiscard]] const std::optional<core::Problem>& refusal() const { return refusal_; }
  // Call when `put` runs out of memory.
  void refuse_for_lack_of_memory() { refuse(core::ProblemCode::unavailable, core::kOutOfMemory); }

  [[nodiscard]] bool has_header() const;
  [[nodiscard]] bool is_whole() const;

  // From the header. Until `take_incoming`, the target is a path with its query, or "*".
  [[nodiscard]] std::string_view method() const;
  [[nodiscard]] const std::string& target() const { return incoming_.target; }
  [[nodiscard]] Incoming take_incoming() { return std::move(incoming_); }
  [[nodiscard]] bool is_head() const;
  [[nodiscard]] bool keeps_alive() const;
  // HTTP/1.0, where connections close unless both sides agree on keep-alive.
  [[nodiscard]] bool is_old() const;
  [[nodiscard]] bool expects_continue() const;

  // Sets the maximum body size; call before the body.
  void limit_body(std::size_t bytes_max);
  [[nodiscard]] std::int64_t body_received() const { return static_cast<std::int64_t>(body_received_); }
  // The last call: it releases all parser memory.
  [[nodiscard]] std::string take_body();

 private:
  struct Impl;
  [[nodiscard]] std::size_t put_header(std::string_view bytes);
  [[nodiscard]] std::size_t put_body(std::string_view bytes);
  // Passes input to Beast and turns its error into the refusal.
  [[nodiscard]] std::size_t feed(std::string_view bytes);
  // Checks whole lines as received; Beast reports neither their length nor line folding.
  void check_lines(std::string_view lines);
  void check_header();
  void check_framing();
  void read_fields();
  // Reads the target and the host that the request addresses.
  void read_addressee(bool has_host);
  void refuse(core::ProblemCode code, const std::string& detail) {
    refusal_ = {.code = code, .detail = detail};
  }
  void refuse(const std::string& detail) { refuse(core::ProblemCode::invalid_argument, detail); }

  const HttpLimits& limits_;
  std::unique_ptr<Impl> impl_;
  std::optional<core::Problem> refusal_;
  Incoming incoming_;
  std::size_t header_size_ = 0;
  std::size_t fields_ = 0;  // of the header, later of the trailer
  std::size_t body_received_ = 0;
};

}  // namespace pawl::server
