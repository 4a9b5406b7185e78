// expect: pawl: the function of a map names its first parameter's type
#include <pawl/pawl.hpp>

void pay(pawl::Workflow& wf, const std::vector<int>& amounts) {
  wf.map(amounts, [](auto& line, const int& amount) { return line.step("pay", [&] { return amount; }); });
}
