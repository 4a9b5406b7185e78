#pragma once
// A server's dispatch that compares every response with /openapi.json before it is sent.

#include "server/dispatch.hpp"

namespace pawl::testing {

class CheckedDispatch final : public server::Dispatch {
 public:
  using Dispatch::Dispatch;

  void admit(server::Incoming incoming, std::function<void(server::Admission)> decided) override;
  void call(server::Request request, server::Answer answer) override;
};

}  // namespace pawl::testing
