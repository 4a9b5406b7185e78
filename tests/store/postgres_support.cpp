#include "tests/store/postgres_support.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

namespace pawl::store::postgres_test {

namespace {

std::string server() {
  const char* conninfo = std::getenv("PAWL_TEST_POSTGRES");
  if (conninfo == nullptr)
    throw std::runtime_error("PAWL_TEST_POSTGRES is not set: run through tools/with_postgres.sh");
  return conninfo;
}

}  // namespace

Session::Session(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(connection_.get()));
}

std::vector<std::string> Session::query(const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(connection_.get(), sql.c_str()), PQclear};
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(sql + ": " + PQresultErrorMessage(result.get()));
  }
  std::vector<std::string> rows;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    std::string text;
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      text += (column == 0 ? "" : "|") + std::string{PQgetvalue(result.get(), row, column)};
    }
    rows.push_back(std::move(text));
  }
  return rows;
}

Database::Database() {
  static std::atomic<int> count = 0;
  name_ = "pawl_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  conninfo_ = server() + " dbname=" + name_;
  Session{server()}.query("create database " + name_);
}

Database::~Database() { Session{server()}.query("drop database " + name_ + " with (force)"); }

int Database::terminate_sessions() {
  const auto ended = Session{server()}.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '" + name_ +
      "' and application_name = 'pawl'");
  return static_cast<int>(ended.size());
}

Hands::Hands(const std::string& conninfo, core::Duration staleness, bool own_clock)
    : random([] {
        static std::atomic<std::uint64_t> seed = 42;
        return seed++;
      }()),
      store(open_postgres({.conninfo = conninfo,
                           .clock = own_clock ? &clock : nullptr,
                           .random = nullptr,
                           .lane_cache_staleness = staleness})) {}

const core::Lane* Hands::lane(const core::TaskSpec& spec) const {
  const LaneKey key{.ns = "default", .queue = spec.queue, .type = spec.type, .priority = spec.priority};
  return store->intern_lanes({&key, 1}).front();
}

core::TaskRecord Hands::new_task(const core::TaskSpec& spec, core::TimePoint now) {
  return core::new_task(core::TaskId{ids.next(now)}, *lane(spec), spec, now, true);
}

TaskWrite Hands::written(const core::TaskRecord& record, core::Place from, std::int64_t fence_before) {
  return {.from = from, .fence_before = fence_before, .record = &record};
}

std::vector<core::TaskId> Hands::enqueue(int count, const core::TaskSpec& spec) {
  const core::Lane* its_lane = lane(spec);
  const auto tx = store->begin();
  std::vector<core::TaskRecord> records;
  for (int i = 0; i < count; ++i) records.push_back(new_task(spec, tx->now()));
  WriteSet writes;
  std::vector<core::TaskId> made;
  for (const core::TaskRecord& record : records) {
    writes.tasks.push_back({.is_new = true, .record = &record});
    made.push_back(record.id);
  }
  core::QueueCounts delta;
  (records.front().place == core::Place::ready ? delta.pending : delta.scheduled) = count;
  writes.counts.push_back({.lane = its_lane, .delta = delta});
  tx->commit(writes);
  return made;
}

std::vector<core::TaskRecord> Hands::take(Transaction& tx, std::size_t max) const {
  std::vector<LaneShare> shares;
  for (const core::Lane* its_lane : store->lanes_of({.ns = "default", .name = "default"})) {
    shares.push_back({.lane = its_lane, .max = static_cast<std::int64_t>(max)});
  }
  return tx.take_ready(shares, max);
}

std::vector<core::TaskRecord> Hands::claim(std::size_t max, core::Duration lease) const {
  const auto tx = store->begin();
  auto records = take(*tx, max);
  WriteSet writes;
  for (core::TaskRecord& record : records) {
    core::apply(record, core::decide_claim(record, worker, lease, tx->now()));
    writes.tasks.push_back(written(record, core::Place::nowhere, record.progress.fence - 1));
  }
  tx->commit(writes);
  return records;
}

void Hands::complete(const std::vector<core::TaskRecord>& claimed) const {
  const auto tx = store->begin();
  LoadRequest request;
  for (const core::TaskRecord& record : claimed) request.tasks.push_back({.id = record.id});
  Loaded loaded = tx->load(request);
  WriteSet writes;
  for (auto& record : loaded.tasks) {
    const core::Report report{.task_id = record->id,
                              .fence = record->progress.fence,
                              .action = core::ReportAction::complete,
                              .output = {R"({"ok":true})"}};
    const auto decision = core::decide_report(*record, worker, report, nullptr, {.now = tx->now()});
    core::apply(*record, *decision.value().change);
    writes.tasks.push_back(written(*record, core::Place::leased, record->progress.fence));
  }
  tx->commit(writes);
}

}  // namespace pawl::store::postgres_test
