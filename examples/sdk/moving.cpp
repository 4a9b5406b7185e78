// moving ADDRESS: the same program on a file, on PostgreSQL, or as a worker of a server. Only the address
// differs.
//
//   moving sqlite:moving.db
//   moving postgres://localhost/pawl
//   moving http://127.0.0.1:7717

#include <iostream>

#include <pawl/pawl.hpp>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "sqlite:moving.db");
  pawl::Worker worker{pawl};
  worker.task("square", [](const int& number) { return number * number; });
  worker.workflow("sum-of-squares", [](pawl::Workflow& wf, const std::vector<int>& numbers) {
    std::vector<pawl::Pending<int>> squares;
    for (const int number : numbers) squares.push_back(wf.spawn<int>("square", number));
    int sum = 0;
    for (const int square : wf.all(squares)) sum += square;
    return sum;
  });
  worker.start();
  std::cout << pawl.start("sum-of-squares", std::vector{1, 2, 3, 4}).result<int>() << std::endl;
  return 0;
}
