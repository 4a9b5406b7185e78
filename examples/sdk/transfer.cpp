// transfer [ADDRESS] [LEDGER]: money moves once. Each step's rows and its result are one commit of the
// database that Pawl itself uses, so that no crash can come between them.

#include <iostream>

#include <pawl/pawl.hpp>

#include "ledger.hpp"

using namespace std::chrono_literals;

namespace {

struct Transfer {
  std::string from;
  std::string to;
  int amount = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Transfer, from, to, amount)

}  // namespace

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "sqlite:bank.db");
  const Ledger ledger{argc > 2 ? argv[2] : "/dev/null"};

  pawl::Worker worker{pawl, {.lease = 1s}};
  worker.workflow("transfer", [&](pawl::Workflow& wf, const Transfer& transfer) {
    wf.transaction("open accounts", [&](pawl::Sql& sql) {
      ledger.write("open accounts");
      sql.exec("create table if not exists accounts (name varchar(20) primary key, balance bigint not null)");
      for (const auto& name : {transfer.from, transfer.to})
        sql.exec("insert into accounts (name, balance) values ($1, $2)", name, 100);
      ledger.write("accounts are open");
    });
    const auto left = wf.transaction("debit", [&](pawl::Sql& sql) {
      ledger.write("debit");
      sql.exec("update accounts set balance = balance - $1 where name = $2", transfer.amount, transfer.from);
      ledger.write("debited");
      return sql.value<int>("select balance from accounts where name = $1", transfer.from);
    });
    ledger.write("has paid");
    wf.transaction("credit", [&](pawl::Sql& sql) {
      ledger.write("credit");
      sql.exec("update accounts set balance = balance + $1 where name = $2", transfer.amount, transfer.to);
      ledger.write("credited");
    });
    const auto accounts = wf.transaction("read", [&](pawl::Sql& sql) {
      return sql.query("select name, balance from accounts order by name");
    });
    return pawl::Json{{"left", left}, {"accounts", accounts}};
  });
  worker.start();

  const Transfer transfer{.from = "alice", .to = "bob", .amount = 30};
  std::cout << pawl.start("transfer", transfer, {.run_key = "transfer-1"}).result<pawl::Json>() << std::endl;
  return 0;
}
