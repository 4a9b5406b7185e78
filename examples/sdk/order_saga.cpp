// order_saga [ADDRESS] [LEDGER] [CARD]: what was done is undone in reverse when a later step fails for good.
// The card "expired" makes the payment fail.

#include <iostream>

#include <pawl/pawl.hpp>

#include "ledger.hpp"

using namespace std::chrono_literals;

struct Order {
  std::string id;
  std::string card;
  double total = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, card, total)

struct Hold {
  std::string id;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hold, id)

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "sqlite:orders.db");
  const Ledger ledger{argc > 2 ? argv[2] : "/dev/null"};

  pawl::Worker worker{pawl, {.lease = 1s}};
  worker.workflow("fulfil-order", [&](pawl::Workflow& wf, const Order& order) {
    const auto held = wf.step("reserve", [&] {
      ledger.write("reserve");
      return Hold{"hold-" + order.id};
    });
    wf.undo("release", [&] { ledger.write("release " + held.id); });

    const auto labelled = wf.step("print label", [&] {
      ledger.write("print label");
      return "label-" + order.id;
    });
    wf.undo("void label", [&] { ledger.write("void " + labelled); });

    return wf.step("charge", {.retry = {.max_attempts = 3, .non_retryable = {"invalid_card"}}}, [&] {
      ledger.write("charge");
      if (order.card == "expired") throw pawl::Failure{"invalid_card", "the card has expired"};
      return "paid " + wf.operation_key();  // the bank's idempotency key
    });
  });
  worker.start();

  const Order order{.id = "7", .card = argc > 3 ? argv[3] : "good", .total = 12.5};
  const auto run = pawl.start("fulfil-order", order, {.run_key = "order-7"});
  try {
    std::cout << run.result<std::string>().substr(0, 4) << std::endl;
  } catch (const pawl::RunFailed& failed) {
    std::cout << failed.state() << ": " << failed.code() << ", " << failed.what() << std::endl;
  }
  return 0;
}
