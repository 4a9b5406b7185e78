#include "store/baseline.hpp"

#include "store/postgres/connection.hpp"
#include "store/postgres/sql.hpp"
#include "store/store.hpp"

namespace pawl::store {

namespace {

class PostgresBaseline final : public Baseline {
 public:
  explicit PostgresBaseline(const std::string& conninfo) : server_(conninfo, nullptr), connection_(server_) {
    connection_.connect_or_throw();
    run_script(std::string{postgres::sql::baseline_create});
  }

  void enqueue(const std::string& payload) override {
    postgres::Params params;
    params.value(payload);
    connection_.send(postgres::sql::baseline_enqueue, params);
    (void)connection_.run_or_throw();
  }

  bool run_one() override {
    connection_.send(postgres::sql::baseline_claim);
    const auto claimed = connection_.run_or_throw();
    if (claimed.front().count() == 0) return false;
    postgres::Params params;
    params.value(claimed.front().int8(0, 0));
    params.value(claimed.front().int4(0, 1));
    connection_.send(postgres::sql::baseline_complete, params);
    (void)connection_.run_or_throw();
    return true;
  }

  void hold_snapshot() override { run_script(std::string{postgres::sql::baseline_hold_snapshot}); }

 private:
  void run_script(const std::string& text) {
    if (const auto failure = connection_.run_script(text)) {
      throw StoreError{StoreError::Kind::unavailable, "the baseline could not be set up"};
    }
  }

  postgres::Server server_;
  postgres::Connection connection_;
};

}  // namespace

std::unique_ptr<Baseline> open_postgres_baseline(const std::string& conninfo) {
  return std::make_unique<PostgresBaseline>(conninfo);
}

}  // namespace pawl::store
