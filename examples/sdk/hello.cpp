// hello [ADDRESS] [LEDGER]: three steps and a nap. Kill it anywhere and start it again: what was done is not
// done twice.

#include <iostream>

#include <pawl/pawl.hpp>

#include "ledger.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "sqlite:hello.db");
  const Ledger ledger{argc > 2 ? argv[2] : "/dev/null"};

  pawl::Worker worker{pawl, {.lease = 1s}};
  worker.workflow("hello", [&](pawl::Workflow& wf, const std::string& name) {
    const auto greeting = wf.step("greet", [&] {
      ledger.write("greet");
      return "Hello, " + name;
    });
    wf.sleep("nap", 100ms);
    const auto length = wf.step("measure", [&] {
      ledger.write("measure");
      return greeting.size();
    });
    wf.step("say goodbye", [&] { ledger.write("say goodbye"); });
    return greeting + ", your greeting has " + std::to_string(length) + " letters";
  });
  worker.start();

  // The key makes it the same run when this program is started again.
  const auto run = pawl.start("hello", "Ada", {.run_key = "hello-1"});
  std::cout << run.result<std::string>() << std::endl;
  return 0;
}
