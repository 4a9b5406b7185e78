#pragma once
// One connection: reads a request, waits for its answer, writes it, and so on. Requests that come before
// their turn stay in the socket, so that answers keep their order. All of it runs on one network thread.
//
// Who may not ask is told so after the header: the body of their request is not read. They may be sending it
// all the same and look for an answer only then; so the connection lingers after an answer that came early.
//
// The parser is fed by hand and the head of an answer is written as text: Beast's composed operations would
// be compiled once for each kind of stream, and took most of the time of a build.

#include <atomic>
#include <optional>
#include <string>

#include "server/dispatch.hpp"
#include "server/http_server.hpp"
#include "server/request_parser.hpp"
#include "server/transport.hpp"

namespace pawl::server {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `tls`: null for plain TCP. It need not outlive the call. `network` is what its caller is counted by.
  Connection(Socket socket, Tls::Context* tls, const HttpLimits& limits, Dispatch& dispatch,
             std::string network);

  [[nodiscard]] Executor executor() { return stream_.executor(); }
  [[nodiscard]] Awaitable<void> run();
  // Instead of `run`, where there are too many: serves a probe, and answers anything else with the refusal.
  [[nodiscard]] Awaitable<void> turn_away(core::Problem refusal);
  // Ends it now if it waits for a request or lingers, else after the answer. Any thread.
  void stop();
  // The same, and also if it is reading a header. Any thread.
  void displace();
  // Called on the connection's thread when a request that needs a role was admitted: with the token of the
  // first, and with that of each that has another one than the one before. To be set before `run`.
  void when_admitted(std::function<void(const std::string& token)> admitted) {
    admitted_ = std::move(admitted);
  }
  // Whether it waits for a request. Any thread.
  [[nodiscard]] bool is_idle() const { return is_idle_; }

 private:
  [[nodiscard]] Awaitable<bool> open(std::chrono::milliseconds timeout);
  [[nodiscard]] Awaitable<bool> wait_for_request(std::chrono::milliseconds timeout);
  // One request and its answer; whether the connection goes on.
  [[nodiscard]] Awaitable<bool> serve(bool is_last);
  // The same, of a request whose header was read.
  [[nodiscard]] Awaitable<bool> serve_request(RequestParser& parser, bool is_last);
  // Until the parser has it or refuses it; false: nothing more comes.
  [[nodiscard]] Awaitable<bool> read_header(RequestParser& parser, std::chrono::milliseconds timeout);
  // The same, all of it in time, and never too slowly for long.
  [[nodiscard]] Awaitable<bool> read_body(RequestParser& parser);
  void begin_body(RequestParser& parser);
  void note_admitted(const std::string& token);
  // `id`: of the request.
  [[nodiscard]] Awaitable<bool> refuse(RequestParser& parser, std::string id, Linger lingers);
  // Of a request that Dispatch, which names them, does not get to see.
  [[nodiscard]] std::string new_request_id() const;
  // Feeds the parser with what has come.
  void feed(RequestParser& parser);
  [[nodiscard]] Awaitable<Admission> admission_of(Incoming incoming);
  [[nodiscard]] Awaitable<Response> answer_of(Request request);
  [[nodiscard]] WhenGone when_gone();
  // Whether the connection goes on: it was to, and all was handed over.
  Awaitable<bool> write(Response response, bool goes_on);
  // The last one, to somebody who may still be sending.
  Awaitable<bool> write_early(Response response, Linger lingers);
  [[nodiscard]] Awaitable<void> close();
  [[nodiscard]] Awaitable<void> linger();
  // Until the stream ends, the caller is gone or the server stops; the connection ends with it.
  [[nodiscard]] Awaitable<void> write_events(Response response);
  [[nodiscard]] Awaitable<bool> write_bytes(std::string bytes);
  // Status and fields, without the end of the head.
  [[nodiscard]] std::string head_of(const Response& response, bool keep_alive) const;
  Transport stream_;
  Timer alarm_{stream_.executor()};  // ends the wait for events
  std::string buffer_;               // has come, and is not parsed yet
  const HttpLimits& limits_;
  Dispatch& dispatch_;
  bool is_local_ = false;
  bool is_head_ = false;
  std::string network_;
  std::function<void(const std::string& token)> admitted_;
  std::optional<std::string> token_;   // of the last request that needed a role
  std::atomic<bool> is_idle_ = false;  // nobody waits for an answer
  bool is_reading_header_ = false;
  std::uint64_t asked_ = 0;        // requests that were handed on
  bool is_asking_ = false;         // the last of them is not answered yet
  std::optional<Linger> lingers_;  // the last answer came before the end of the request
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
