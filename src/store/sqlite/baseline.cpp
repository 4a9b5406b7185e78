#include "store/baseline.hpp"

#include "store/sqlite/connection.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store {

namespace {

class SqliteBaseline final : public Baseline {
 public:
  explicit SqliteBaseline(const std::string& path) : connection_({.path = path, .is_writer = true}) {
    connection_.execute(std::string{sqlite::sql::baseline_create}, "making the table of the baseline");
  }

  void enqueue(const std::string& payload) override {
    sqlite::Scope scope{connection_, sqlite::Scope::Kind::write};
    connection_.statement(sqlite::sql::baseline_enqueue).run(payload);
    scope.commit();
  }

  bool run_one() override {
    std::int64_t id = 0;
    std::int64_t attempt = 0;
    {
      sqlite::Scope scope{connection_, sqlite::Scope::Kind::write};
      {
        auto rows = connection_.statement(sqlite::sql::baseline_claim).rows();
        if (!rows.next()) return false;
        id = rows.int64();
        attempt = rows.int64();
        (void)rows.next();  // step to the end, so that the statement completes
      }
      scope.commit();
    }
    sqlite::Scope scope{connection_, sqlite::Scope::Kind::write};
    connection_.statement(sqlite::sql::baseline_complete).run(id, attempt);
    scope.commit();
    return true;
  }

  void hold_snapshot() override {
    connection_.begin();
    (void)connection_.data_version();
  }

 private:
  sqlite::Connection connection_;
};

}  // namespace

std::unique_ptr<Baseline> open_sqlite_baseline(const std::string& path) {
  return std::make_unique<SqliteBaseline>(path);
}

}  // namespace pawl::store
