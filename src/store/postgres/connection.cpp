#include "store/postgres/connection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <libpq-fe.h>
#include <poll.h>

#include "store/migrate.hpp"
#include "store/postgres/monotonic.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store::postgres {

namespace {

using std::chrono::milliseconds;

constexpr core::Duration kFirstPause = milliseconds{50};
constexpr core::Duration kLongestPause = std::chrono::seconds{5};
constexpr core::Duration kLook = std::chrono::minutes{1};
constexpr core::Duration kEncryptedLook = milliseconds{100};
constexpr int kBinary = 1;
constexpr int kText = 0;

core::Duration pause_after(int failures) {
  return std::min<core::Duration>(kLongestPause, kFirstPause * (1 << std::min(failures, 10)));
}

// Our settings come first and the user's text after them, so that it can override them. A peer that
// disappears silently is detected within seconds instead of the system's quarter of an hour.
pg_conn* open_connection(const std::string& conninfo) {
  const std::array keys{"fallback_application_name",
                        "connect_timeout",
                        "tcp_user_timeout",
                        "keepalives_idle",
                        "keepalives_interval",
                        "keepalives_count",
                        "dbname",
                        "client_encoding",
                        static_cast<const char*>(nullptr)};
  const std::array values{
      "pawl", "5", "10000", "5", "2", "3", conninfo.c_str(), "UTF8", static_cast<const char*>(nullptr)};
  return PQconnectdbParams(keys.data(), values.data(), 1);
}

std::string trimmed(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string field(const pg_result* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value == nullptr ? "" : value;
}

// A server that stops waiting for its synchronous standby sends this warning and reports that the commit
// succeeded.
constexpr std::string_view kWarning = "01000";

void take_notice(void* context, const pg_result* notice) {
  if (field(notice, PG_DIAG_SQLSTATE) == kWarning) *static_cast<bool*>(context) = true;
}

}  // namespace

void CloseConnection::operator()(pg_conn* connection) const { PQfinish(connection); }

std::optional<Failure> Connection::connect(When when) {
  if (is_connected() && life_ != server_.lives.current()) drop();
  if (is_connected()) return std::nullopt;
  const core::MonotonicTime now = monotonic_now();
  if (when == When::backed_off && now < next_try_at_) {
    return Failure{.kind = StoreError::Kind::unavailable, .message = last_failure_, .is_lost = true};
  }
  std::optional<Failure> failure = open();
  if (!failure) {
    failures_in_a_row_ = 0;
    return std::nullopt;
  }
  drop();
  last_failure_ = failure->message;
  next_try_at_ = monotonic_now() + server_.jitter.spread(pause_after(failures_in_a_row_++));
  return failure;
}

bool Connection::connect_or_throw() {
  const bool is_new = !is_connected() || life_ != server_.lives.current();
  if (const auto failure = connect()) failure->raise();
  return is_new;
}

void Connection::expect_identity(std::string_view identity) {
  if (identity == server_identity_) return;
  server_identity_ = identity;
  life_ = server_.lives.enter(server_identity_);
  throw StoreError{StoreError::Kind::retry, "the database server has failed over"};
}

std::optional<Failure> Connection::open() {
  connection_.reset(open_connection(server_.conninfo));
  if (PQstatus(connection_.get()) != CONNECTION_OK) return lost();
  PQsetnonblocking(connection_.get(), 1);  // this class waits itself, with a timeout
  PQsetNoticeReceiver(connection_.get(), take_notice, has_warned_.get());
  PQenterPipelineMode(connection_.get());
  std::vector<Rows> answers;
  // Unnamed: behind a pooler the name may already exist, and there is no retry here.
  send_unnamed(sql::identify_server, {});
  if (auto failure = run(answers)) {
    failure->kind = StoreError::Kind::unavailable;  // a standby, or already lost again
    return failure;
  }
  server_identity_ = answers.front().text(0, 0);
  life_ = server_.lives.enter(server_identity_);
  return std::nullopt;
}

void Connection::drop() {
  connection_.reset();
  statements_.clear();
  sent_.clear();
  ask_ = nullptr;
  held_back_.clear();
  take_ = nullptr;
  has_send_failed_ = false;
  is_silent_ = false;
}

Failure Connection::lost() const {
  std::string message = trimmed(PQerrorMessage(connection_.get()));
  if (is_silent_) message = "PostgreSQL has not answered for " + core::format_duration(silence_allowed_);
  if (message.empty()) message = "the connection to PostgreSQL was lost";
  return {.kind = StoreError::Kind::unavailable, .message = std::move(message), .is_lost = true};
}

void Connection::send(std::string_view sql, const Params& params) {
  if (!is_connected()) {
    has_send_failed_ = true;
    return;
  }
  add_held_back();
  if (server_.is_pooled.load(std::memory_order_relaxed)) {
    send_unnamed(sql, params);
  } else {
    send_prepared(sql, params);
  }
}

void Connection::send_unnamed(std::string_view sql, const Params& params) {
  const std::string text{sql};
  const std::vector<int> formats(static_cast<std::size_t>(params.size()), kBinary);
  const int ok =
      PQsendQueryParams(connection_.get(), text.c_str(), params.size(), nullptr, params.pointers().data(),
                        params.lengths().data(), formats.data(), kBinary);
  has_send_failed_ = has_send_failed_ || ok == 0;
  sent_.push_back({});
}

void Connection::send_text(const std::string& statement,
                           const std::vector<std::optional<std::string>>& values) {
  std::vector<const char*> pointers;
  for (const auto& value : values) pointers.push_back(value ? value->c_str() : nullptr);
  const int ok = PQsendQueryParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                                   nullptr, pointers.data(), nullptr, nullptr, kText);
  has_send_failed_ = has_send_failed_ || ok == 0;
  sent_.push_back({});
}

bool Connection::is_in_transaction() const {
  return is_connected() && PQtransactionStatus(connection_.get()) == PQTRANS_INTRANS;
}

void Connection::send_prepared(std::string_view sql, const Params& params) {
  Prepared& prepared = statements_[sql.data()];
  if (!prepared.is_known) {
    const std::string text{sql};
    // Named by content: behind a pooler, another version of this program may have prepared another text for
    // the same query.
    if (prepared.name.empty()) prepared.name = "pawl_" + checksum_of(sql);
    const int ok = PQsendPrepare(connection_.get(), prepared.name.c_str(), text.c_str(), 0, nullptr);
    has_send_failed_ = has_send_failed_ || ok == 0;
    prepared.is_known = true;
    sent_.push_back({.prepare = &prepared});
  }
  const std::vector<int> formats(static_cast<std::size_t>(params.size()), kBinary);
  const int ok =
      PQsendQueryPrepared(connection_.get(), prepared.name.c_str(), params.size(), params.pointers().data(),
                          params.lengths().data(), formats.data(), kBinary);
  has_send_failed_ = has_send_failed_ || ok == 0;
  sent_.push_back({});
}

std::size_t Connection::sent() const {
  return static_cast<std::size_t>(
      std::count_if(sent_.begin(), sent_.end(), [](const Sent& sent) { return sent.prepare == nullptr; }));
}

std::optional<Failure> Connection::run(std::vector<Rows>& answers,
                                       std::optional<core::Duration> silence_max) {
  if (!is_connected()) {
    return Failure{.kind = StoreError::Kind::unavailable, .message = "not connected", .is_lost = true};
  }
  add_held_back();
  const std::vector<Sent> held_back = std::exchange(held_back_, {});
  const std::vector<Sent> sent = std::exchange(sent_, {});
  const Take take = std::exchange(take_, nullptr);
  std::vector<Rows> first;
  const bool is_sent = !has_send_failed_ && PQpipelineSync(connection_.get()) == 1 &&
                       flush(silence_max.value_or(silence_max_));
  auto failure = is_sent ? receive_all(held_back, first) : lost();
  if (!failure && take) take(first);
  if (!failure || !failure->is_lost) {
    auto next = receive_all(sent, answers);  // includes answers to skipped statements
    if (next && (!failure || next->is_lost)) failure = std::move(next);
  }
  if (!failure || !failure->is_lost) {
    // Anything but the end marker means that the answers belong to other statements.
    const Rows end{next_result()};
    if (PQstatus(connection_.get()) != CONNECTION_OK || !end.is_end()) failure = lost();
  }
  if (failure) give_up(*failure);
  return failure;
}

void Connection::hold_back(Ask ask, Take take) {
  ask_ = std::move(ask);
  take_ = std::move(take);
}

void Connection::add_held_back() {
  if (!ask_) return;
  std::exchange(ask_, nullptr)(*this);
  held_back_ = std::exchange(sent_, {});
}

bool Connection::take_in(short events) {
  const core::Duration left = heard_at_ + silence_allowed_ - monotonic_now();
  is_silent_ = left <= core::Duration{0};
  if (is_silent_) return false;
  // poll does not see data that the encryption layer has read from the socket but not returned yet.
  const bool is_encrypted = PQsslInUse(connection_.get()) == 1 || PQgssEncInUse(connection_.get()) == 1;
  const auto look = std::chrono::ceil<milliseconds>(std::min(left, is_encrypted ? kEncryptedLook : kLook));
  pollfd socket{.fd = PQsocket(connection_.get()), .events = events, .revents = 0};
  if (::poll(&socket, 1, static_cast<int>(look.count())) > 0) heard_at_ = monotonic_now();
  return PQconsumeInput(connection_.get()) == 1;
}

// Also reads: the server may stop reading until its answers to the first statements are read.
bool Connection::flush(core::Duration silence_max) {
  silence_allowed_ = silence_max;
  heard_at_ = monotonic_now();
  int left = 0;
  while ((left = PQflush(connection_.get())) == 1) {
    if (!take_in(POLLIN | POLLOUT)) return false;
  }
  return left == 0;
}

pg_result* Connection::next_result() {
  while (PQisBusy(connection_.get()) == 1 && take_in(POLLIN)) {
  }
  return is_silent_ ? nullptr : PQgetResult(connection_.get());  // also reports a lost connection
}

bool Connection::is_quiet() const {
  if (!is_connected() || life_ != server_.lives.current()) return false;
  pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
  return ::poll(&socket, 1, 0) == 0;
}

std::optional<Failure> Connection::receive_all(const std::vector<Sent>& sent, std::vector<Rows>& answers) {
  std::optional<Failure> failure;
  for (const Sent& one : sent) {
    auto next = receive(one, answers);
    if (next && !failure) failure = std::move(next);
    if (failure && failure->is_lost) break;
  }
  return failure;
}

std::optional<Failure> Connection::receive(const Sent& sent, std::vector<Rows>& answers) {
  std::optional<Failure> failure;
  bool is_done = false;
  while (pg_result* result = next_result()) {
    Rows rows{result};
    switch (PQresultStatus(result)) {
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        is_done = true;
        if (sent.prepare == nullptr) answers.push_back(std::move(rows));
        break;
      case PGRES_PIPELINE_ABORTED: break;
      default: failure = failure_of(result);
    }
    if (failure && failure->is_lost) break;
  }
  const bool is_gone = !is_done && PQstatus(connection_.get()) != CONNECTION_OK;
  if (!failure && (is_silent_ || is_gone)) failure = lost();
  if (!is_done && sent.prepare != nullptr) sent.prepare->is_known = false;
  return failure;
}

Failure Connection::failure_of(pg_result* result) {
  const std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
  if (sqlstate.empty()) return lost();
  // A shutdown error may arrive after the work was done, so the outcome of the sent statements is unknown.
  const bool is_ordered_away = sqlstate.starts_with("57P");
  return {.kind = kind_of(sqlstate, field(result, PG_DIAG_TABLE_NAME)),
          .sqlstate = sqlstate,
          .message = field(result, PG_DIAG_MESSAGE_PRIMARY) + " (" + sqlstate + ")",
          .is_lost = is_ordered_away || PQstatus(connection_.get()) != CONNECTION_OK};
}

void Connection::give_up(const Failure& failure) {
  if (is_pooler_trouble(failure.sqlstate)) server_.is_pooled.store(true, std::memory_order_relaxed);
  if (failure.is_lost || ends_session(failure.sqlstate)) drop();
}

std::vector<Rows> Connection::run_or_throw() {
  std::vector<Rows> answers;
  answers.reserve(sent_.size());
  if (const auto failure = run(answers)) failure->raise();
  return answers;
}

std::optional<Failure> Connection::run_script(const std::string& text,
                                              std::optional<core::Duration> silence_max) {
  PQexitPipelineMode(connection_.get());
  const bool is_sent =
      PQsendQuery(connection_.get(), text.c_str()) == 1 && flush(silence_max.value_or(silence_max_));
  std::optional<Failure> failure;
  if (!is_sent) failure = lost();
  while (pg_result* result = is_sent ? next_result() : nullptr) {
    const Rows rows{result};
    const ExecStatusType status = PQresultStatus(result);
    const bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!is_good && !failure) failure = failure_of(result);
  }
  if (is_silent_) failure = lost();
  PQenterPipelineMode(connection_.get());
  if (failure) give_up(*failure);
  return failure;
}

void Connection::roll_back() {
  if (!is_connected()) return;
  if (!sent_.empty()) return drop();  // nothing would read the pending answers
  take_ = nullptr;                    // what it refers to may be gone
  if (std::exchange(ask_, nullptr)) return;
  std::vector<Rows> answers;
  send(sql::rollback);
  if (run(answers)) drop();
}

}  // namespace pawl::store::postgres
