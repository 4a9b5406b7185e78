// expect: pawl: this type has no JSON form: use NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE
#include <pawl/pawl.hpp>

struct Order {
  std::string id;
};

void add(pawl::Worker& worker) {
  worker.workflow("fulfil", [](pawl::Workflow&, const Order& order) { return order.id; });
}
