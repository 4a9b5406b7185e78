// A task and a workflow on a store in memory; prints what they gave.

#include <iostream>

#include <pawl/pawl.hpp>

#if defined(BOOST_VERSION) || defined(SQLITE_VERSION) || defined(PG_DIAG_SEVERITY)
#error "the public headers include none of the server's libraries"
#endif

int main() {
  const auto pawl = pawl::connect("memory:");
  pawl::Worker worker{pawl};
  worker.task("double", [](const int& number) { return 2 * number; });
  worker.workflow("answer", [](pawl::Workflow& wf, const int& number) {
    return wf.step("add", [&] { return number + 1; }) + wf.spawn<int>("double", 10).get();
  });
  worker.start();
  std::cout << pawl.start("answer", 21).result<int>() << std::endl;
}
