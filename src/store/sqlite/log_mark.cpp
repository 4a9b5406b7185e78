#include "store/sqlite/log_mark.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/canary.hpp"
#include "store/sqlite/private_files.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr const char* kFormat = "pawl log mark %20ld %20ld\n";
constexpr std::size_t kBytesMax = 64;

bool is_empty_or_missing(const std::string& path) {
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
  return missing || bytes == 0;
}

}  // namespace

LogMark::LogMark(const std::string& database, std::uint64_t new_id)
    : database_(database),
      path_(database + "-mark"),
      new_id_(static_cast<std::int64_t>(new_id >> 1U)),
      is_new_(is_empty_or_missing(database)),
      had_log_(!is_empty_or_missing(database + "-wal")) {}

LogMark::~LogMark() {
  if (file_ >= 0) ::close(file_);
}

std::optional<LogMark::Mark> LogMark::read() const {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, kBytesMax> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  ::close(file);
  Mark mark;
  if (count <= 0 || std::sscanf(text.data(), kFormat, &mark.id, &mark.number) != 2) return std::nullopt;
  return mark;
}

void LogMark::check(Connection& connection) const {
  if (had_log_ || is_new_ || core::planted(core::Canary::log_mark_not_compared)) return;
  const auto beside = read();
  if (!beside) return;
  const Mark inside = find(connection).value_or(Mark{.id = beside->id});  // the first mark was in the log
  if (inside.id != beside->id || inside.number >= beside->number) return;
  throw StoreError{
      StoreError::Kind::unavailable,
      fmt::format(
          "{0}: commits are missing: its log {0}-wal was deleted or emptied before it was copied into "
          "the database (the database has mark {1}, {2} has mark {3}). Put the log back, or restore a "
          "backup. To go on with this older state, delete {2}",
          database_, inside.number, path_, beside->number)};
}

std::optional<LogMark::Mark> LogMark::find(Connection& connection) {
  {
    Rows row = connection.statement(sql::has_file_mark).rows();
    if (!row.next() || !row.boolean()) return std::nullopt;
  }
  Rows row = connection.statement(sql::find_file_mark).rows();
  if (!row.next()) return std::nullopt;
  const std::int64_t id = row.int64();
  return Mark{.id = id, .number = row.int64()};
}

void LogMark::prepare(Connection& connection) { connection.statement(sql::create_file_mark).run(); }

void LogMark::advance(Connection& connection) {
  is_due_ = false;  // before the commit: a copy after it makes the next advance due
  has_copied_ = false;
  Rows row = connection.statement(sql::advance_file_mark).rows(new_id_);
  (void)row.next();
  const std::int64_t id = row.int64();
  advanced_ = Mark{.id = id, .number = row.int64()};
  (void)row.next();
}

void LogMark::committed(CommitNumber number) {
  if (!advanced_) return;
  const std::lock_guard lock{mutex_};
  next_ = *std::exchange(advanced_, std::nullopt);
  pending_.store(number, std::memory_order_release);
}

void LogMark::rolled_back() noexcept {
  advanced_.reset();
  is_due_ = true;
}

// A failed write loses only the detection.
void LogMark::write() {
  const std::lock_guard lock{mutex_};
  if (pending_.exchange(kDurable) == kDurable || core::planted(core::Canary::log_mark_not_written)) return;
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivateFile);
  if (file_ < 0) return;
  std::array<char, kBytesMax> text{};
  const int count = std::snprintf(text.data(), text.size(), kFormat, next_.id, next_.number);
  (void)!::pwrite(file_, text.data(), static_cast<std::size_t>(count), 0);
}

}  // namespace pawl::store::sqlite
