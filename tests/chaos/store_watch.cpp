#include "tests/chaos/store_watch.hpp"

#include <stdexcept>

#include <libpq-fe.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace pawl::chaos {

namespace {

constexpr const char* kRead = "select body, at from chaos_leaders order by seq";

LeaderChange change_of(const std::string& body, std::int64_t at) {
  const auto leadership = nlohmann::json::parse(body);
  return {.node = leadership["node_id"], .term = leadership["term"], .until = leadership["until"], .at = at};
}

class PostgresWatch final : public StoreWatch {
 public:
  explicit PostgresWatch(std::string conninfo) : conninfo_(std::move(conninfo)) {
    PGconn* connection = PQconnectdb(conninfo_.c_str());
    PGresult* result = PQexec(connection, kBegin);
    const std::string error = PQresultStatus(result) == PGRES_COMMAND_OK ? "" : PQerrorMessage(connection);
    PQclear(result);
    PQfinish(connection);
    if (!error.empty()) throw std::runtime_error{"cannot watch the store: " + error};
  }

  std::vector<LeaderChange> leader_changes() override {
    PGconn* connection = PQconnectdb(conninfo_.c_str());
    PGresult* result = PQexec(connection, kRead);
    std::vector<LeaderChange> changes;
    const int count = PQresultStatus(result) == PGRES_TUPLES_OK ? PQntuples(result) : 0;
    for (int row = 0; row < count; ++row)
      changes.push_back(change_of(PQgetvalue(result, row, 0), std::stoll(PQgetvalue(result, row, 1))));
    PQclear(result);
    PQfinish(connection);
    return changes;
  }

 private:
  static constexpr const char* kBegin = R"(
    create table chaos_leaders (seq bigserial primary key, body text, at bigint);
    create function chaos_note_leader() returns trigger language plpgsql as $$
    begin
      insert into chaos_leaders (body, at)
      values (new.body, (extract(epoch from new.updated_at) * 1000000)::bigint);
      return null;
    end $$;
    create trigger chaos_leader after insert or update on pawl.records
      for each row when (new.kind = 'leader') execute function chaos_note_leader();)";

  std::string conninfo_;
};

class SqliteWatch final : public StoreWatch {
 public:
  explicit SqliteWatch(const std::string& file) {
    sqlite3_open(file.c_str(), &database_);
    sqlite3_busy_timeout(database_, 10'000);
    char* error = nullptr;
    if (sqlite3_exec(database_, kBegin, nullptr, nullptr, &error) != SQLITE_OK)
      throw std::runtime_error{std::string{"cannot watch the store: "} + error};
  }
  SqliteWatch(const SqliteWatch&) = delete;
  SqliteWatch& operator=(const SqliteWatch&) = delete;
  ~SqliteWatch() override { sqlite3_close(database_); }

  std::vector<LeaderChange> leader_changes() override {
    std::vector<LeaderChange> changes;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_, kRead, -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* body = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      changes.push_back(change_of(body, sqlite3_column_int64(statement, 1)));
    }
    sqlite3_finalize(statement);
    return changes;
  }

 private:
  // Stores the body unparsed: with `trusted_schema` off, a trigger must not call JSON functions.
  static constexpr const char* kBegin = R"(
    begin immediate;
    create table chaos_leaders (seq integer primary key, body text, at integer);
    create trigger chaos_leader_new after insert on records when new.kind = 'leader' begin
      insert into chaos_leaders (body, at) values (new.body, new.updated_at);
    end;
    create trigger chaos_leader_change after update on records when new.kind = 'leader' begin
      insert into chaos_leaders (body, at) values (new.body, new.updated_at);
    end;
    commit;)";

  sqlite3* database_ = nullptr;
};

}  // namespace

std::unique_ptr<StoreWatch> watch_store(const Cluster& cluster) {
  if (cluster.kind() == StoreKind::postgres) return std::make_unique<PostgresWatch>(cluster.conninfo());
  return std::make_unique<SqliteWatch>(cluster.sqlite_file());
}

}  // namespace pawl::chaos
