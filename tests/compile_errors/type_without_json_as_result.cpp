// expect: pawl: this type has no JSON form: use NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE
#include <pawl/pawl.hpp>

struct Receipt {
  std::string id;
};

std::string charge(pawl::Workflow& wf) {
  return wf.step("charge", [] { return Receipt{"r-1"}; }).id;
}
