// expect: pawl: this type has no JSON form: use NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE
#include <pawl/pawl.hpp>

void fan_out(pawl::Workflow& wf) {
  (void)wf.spawn("branch", [](auto& line) { line.sleep(std::chrono::seconds{1}); });
}
