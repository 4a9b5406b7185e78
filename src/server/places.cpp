#include "server/places.hpp"

#include <utility>

#include <fmt/format.h>

namespace pawl::server {

namespace {

int count_in(const std::map<std::string, int>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

void take_one_out(std::map<std::string, int>& counts, const std::string& name) {
  const auto found = counts.find(name);
  if (--found->second == 0) counts.erase(found);
}

core::Problem exhausted(std::string detail) {
  return {.code = core::ProblemCode::resource_exhausted, .detail = std::move(detail)};
}

}  // namespace

Places::Places(const Names& names, const Caps& caps)
    : names_(names), caps_(caps), taken_(std::make_shared<Taken>()) {}

void Places::Place::release() {
  if (const auto give_back = std::exchange(give_back_, nullptr)) give_back();
}

core::Result<std::shared_ptr<Places::Place>> Places::take(const std::string& ns, const std::string& token) {
  const std::lock_guard lock{taken_->mutex};
  if (taken_->all >= caps_.all)
    return exhausted(fmt::format("{}: there are {} {} already, which is the most", names_.setting, caps_.all,
                                 names_.what));
  if (count_in(taken_->of_namespace, ns) >= caps_.of_one_namespace)
    return exhausted(fmt::format("{}_per_namespace: namespace {} has {} {} already, which is the most",
                                 names_.setting, ns, caps_.of_one_namespace, names_.what));
  if (!token.empty() && count_in(taken_->of_token, token) >= caps_.of_one_token)
    return exhausted(fmt::format("{}_per_token: token {} has {} {} already, which is the most",
                                 names_.setting, token, caps_.of_one_token, names_.what));
  ++taken_->all;
  ++taken_->of_namespace[ns];
  ++taken_->of_token[token];
  return std::make_shared<Place>([taken = taken_, ns, token] {
    const std::lock_guard releasing_lock{taken->mutex};
    --taken->all;
    take_one_out(taken->of_namespace, ns);
    take_one_out(taken->of_token, token);
  });
}

Answer releasing(std::shared_ptr<Places::Place> place, Answer answer) {
  return [place = std::move(place), answer = std::move(answer)](Response response) {
    place->release();  // first: the client may send its next request upon the response
    answer(std::move(response));
  };
}

}  // namespace pawl::server
