// expect: pawl: a duration has no JSON form: use its count()
#include <pawl/pawl.hpp>

using namespace std::chrono_literals;

std::chrono::seconds wait(pawl::Workflow& wf) {
  return wf.step("wait", [] { return 5s; });
}
