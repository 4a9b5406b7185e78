#include "tests/over_http/checked_dispatch.hpp"

#include <utility>

#include "tests/over_http/answer_check.hpp"

namespace pawl::testing {

void CheckedDispatch::admit(server::Incoming incoming, std::function<void(server::Admission)> decided) {
  const std::string path = incoming.target.substr(0, incoming.target.find('?'));
  const auto method = wire::method_from(incoming.method == "HEAD" ? "GET" : incoming.method);
  const auto found = method ? wire::match(*method, path) : core::Result<wire::Match>{core::Problem{}};
  const wire::Route* const route = found ? found->route : nullptr;
  Dispatch::admit(std::move(incoming),
                  [route, path, decided = std::move(decided)](server::Admission admission) {
                    if (const auto* response = std::get_if<server::Response>(&admission);
                        response != nullptr && route != nullptr)
                      AnswerCheck::instance().check(*route, path, *response);
                    decided(std::move(admission));
                  });
}

void CheckedDispatch::call(server::Request request, server::Answer answer) {
  const wire::Route* const route = request.route;
  std::string path = request.path;
  std::string body = request.content_type.find("yaml") == std::string::npos ? request.body : "";
  Dispatch::call(std::move(request), [route, path = std::move(path), body = std::move(body),
                                      answer = std::move(answer)](server::Response response) {
    AnswerCheck::instance().check(*route, path, response);
    if (response.status < 300) AnswerCheck::instance().check_request(*route, path, body);
    answer(std::move(response));
  });
}

}  // namespace pawl::testing
