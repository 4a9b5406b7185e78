#pragma once
// Definitions shared by several tests.

#include <string_view>

namespace pawl::testing {

// The example in the API description.
inline constexpr std::string_view kOrderFulfilment = R"({
  "name": "order-fulfillment",
  "deadline": "1h",
  "on_failure": "compensate",
  "output": {"$ref": "#/tasks/ship_order/output"},
  "tasks": [
    {"id": "reserve_inventory", "activity": "inventory.reserve", "compensate": "release_inventory"},
    {"id": "process_payment", "activity": "payment.charge", "after": ["reserve_inventory"], "compensate": "refund_payment",
     "input": {"amount": {"$ref": "#/input/total"}, "reservation": {"$ref": "#/tasks/reserve_inventory/output/id"}},
     "retry": {"max_attempts": 3}, "timeout": "30s"},
    {"id": "approval", "type": "signal", "signal": "approved", "after": ["process_payment"], "timeout": "7d"},
    {"id": "cool_off", "type": "sleep", "duration": "10s", "after": ["approval"]},
    {"id": "ship_order", "activity": "shipping.create", "after": ["cool_off"],
     "for_each": {"$ref": "#/input/parcels"}, "when": {"$eq": [{"$ref": "#/tasks/approval/output/ok"}, true]}},
    {"id": "notify", "type": "workflow", "workflow": "notify-customer", "after": ["ship_order"], "on_error": "continue"},
    {"id": "release_inventory", "type": "compensation", "activity": "inventory.release"},
    {"id": "refund_payment", "type": "compensation", "activity": "payment.refund"}
  ]
})";

}  // namespace pawl::testing
