// Runs a task and a workflow on a memory store, with crashes at every point, and prints their results.

#include <iostream>

#include <pawl/pawl.hpp>
#include <pawl/testing.hpp>

#if defined(BOOST_VERSION) || defined(SQLITE_VERSION) || defined(PG_DIAG_SEVERITY)
#error "the public headers include none of the server's libraries"
#endif

int main() {
  const auto report = pawl::testing::crash_everywhere(
      [](pawl::Workflow& wf, const int& number) {
        return wf.step("add", [&] { return number + 1; }) + wf.spawn<int>("double", 10).get();
      },
      21, {.handlers = [](pawl::Worker& worker) {
        worker.task("double", [](const int& number) { return 2 * number; });
      }});

  const auto pawl = pawl::connect("memory:");
  pawl::Worker worker{pawl};
  worker.task("double", [](const int& number) { return 2 * number; });
  worker.workflow("answer", [](pawl::Workflow& wf, const int& number) {
    return wf.step("add", [&] { return number + 1; }) + wf.spawn<int>("double", 10).get();
  });
  worker.start();
  const auto answer = pawl.start("answer", 21).result<int>();
  std::cout << (report.result == "42" ? answer : 0) << std::endl;
}
