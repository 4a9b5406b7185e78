#include "client/http_worker_api.hpp"

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/pages.hpp"
#include "wire/records.hpp"

namespace pawl::client {

using core::Result;
using wire::ObjectReader;
using wire::percent_encoded;
using wire::Writer;

Result<core::Worker> HttpWorkerApi::register_worker(const core::RegisterWorker& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_registration(out, request);
  const std::string path = fmt::format("/v1/{}/workers", percent_encoded(request.ns));
  return decoded(connection_.call(request.ns, repeatable_post(path, out.take())), wire::read_worker);
}

Result<core::Worker> HttpWorkerApi::heartbeat_worker(const core::HeartbeatWorker& request) {
  return heartbeat_worker(request, "");
}

Result<core::Worker> HttpWorkerApi::heartbeat_worker(const core::HeartbeatWorker& request,
                                                     const std::string& key) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object()
      .field("active_count", request.active_count)
      .field("completed_delta", request.completed_delta)
      .field("failed_delta", request.failed_delta)
      .field("renew_leases", request.renew_leases)
      .end_object();
  // Not marked repeatable: the server adds up the deltas.
  HttpRequest posted{.method = "POST",
                     .path = path_of(request.ns, "workers", request.worker_id, "/heartbeat"),
                     .body = out.take()};
  if (!key.empty()) posted.headers["idempotency-key"] = key;
  return decoded(connection_.call(request.ns, std::move(posted)), wire::read_worker);
}

Result<std::vector<core::TaskId>> HttpWorkerApi::await_notices(const core::AwaitNotices& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  HttpRequest http{.path = path_of(request.ns, "workers", request.worker_id,
                                   "/notices?wait=" + core::format_duration(request.wait))};
  http.timeout = request.wait + std::chrono::seconds{10};
  return decoded(connection_.call(request.ns, std::move(http)), wire::read_notices);
}

Result<core::Worker> HttpWorkerApi::drain_worker(const core::WorkerRef& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  return decoded(
      connection_.call(request.ns,
                       repeatable_post(path_of(request.ns, "workers", request.worker_id, "/drain"), "")),
      wire::read_worker);
}

Result<core::Done> HttpWorkerApi::deregister_worker(const core::WorkerRef& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  const std::string path = path_of(request.ns, "workers", request.worker_id);
  return decoded(connection_.call(request.ns, {.method = "DELETE", .path = path}), nothing);
}

Result<core::Worker> HttpWorkerApi::get_worker(const std::string& ns, const std::string& worker_id) {
  return decoded(connection_.call(ns, {.path = path_of(ns, "workers", worker_id)}), wire::read_worker);
}

Result<core::Page<core::Worker>> HttpWorkerApi::list_workers(const core::ListRecords& list) {
  const std::string start = fmt::format("/v1/{}/workers", percent_encoded(list.ns));
  return decoded(connection_.call(list.ns, {.path = list_path(start, list.limit, list.cursor)}),
                 page_reader(wire::read_worker));
}

}  // namespace pawl::client
