#include "server/reach.hpp"

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "server/body.hpp"

namespace pawl::server {

namespace {

core::Status check_task(Services& services, const Request& request, const core::TaskId& id) {
  const auto found = services.api.get_task(request.ns, id);
  return found ? core::check_queue(request.queues, found->task.queue) : core::Status{core::Done{}};
}

core::Status check_run(Services& services, const Request& request, const core::RunId& id) {
  const auto found = services.runs.get_run({.ns = request.ns, .id = id});
  if (!found) return core::Done{};
  if (found->facts.kind == core::RunKind::code) return core::check_queue(request.queues, found->facts.queue);
  return core::Problem{
      .code = core::ProblemCode::forbidden,
      .detail = fmt::format("the tasks of the {} run {} may be in any queue, the token is bound to queues",
                            to_string(found->facts.kind), to_string(id))};
}

bool is_bound(const Request& request) {
  return !request.queues.empty() && !core::planted(core::Canary::token_queue_not_compared);
}

}  // namespace

core::Status check_queue(const Request& request, const std::string& name) {
  return core::check_queue(request.queues, name);
}

bool sees_namespaces(const Request& request, const std::vector<std::string>& namespaces) {
  return request.namespaces.empty() || core::covers_namespaces(request.namespaces, namespaces);
}

bool reads_nothing(const Request& request) {
  return request.actor.role == core::to_string(core::Role::enqueuer);
}

core::Status check_path(Services& services, const Request& request) {
  if (!is_bound(request)) return core::Done{};
  const wire::QueueReach reach = request.route->access.queues;
  if (reach != wire::QueueReach::task && reach != wire::QueueReach::run) return core::Done{};
  const auto id = task_id_of(request, 1);
  if (!id) return core::Done{};
  return reach == wire::QueueReach::task ? check_task(services, request, *id)
                                         : check_run(services, request, core::RunId{*id});
}

core::Status check_owner(Services& services, const Request& request, const core::CheckpointOwner& owner) {
  if (!is_bound(request)) return core::Done{};
  if (const auto* run = std::get_if<core::RunId>(&owner)) return check_run(services, request, *run);
  return check_task(services, request, std::get<core::TaskId>(owner));
}

}  // namespace pawl::server
