#pragma once
// The Api, the RunApi and the ScheduleApi over a server. One class for each interface implements the calls;
// this one combines them. Thread-safe: the calls take turns on one connection.

#include <utility>

#include "client/http_admin_api.hpp"
#include "client/http_connection.hpp"
#include "client/http_record_api.hpp"
#include "client/http_run_api.hpp"
#include "client/http_schedule_api.hpp"
#include "client/http_task_api.hpp"
#include "client/http_worker_api.hpp"
#include "core/api/api.hpp"

namespace pawl::client {

// The base of HttpApi that has its connection: a member would not exist yet when the other bases refer to it.
struct WithHttpConnection {
  HttpConnection connection;
};

class HttpApi final : private WithHttpConnection,
                      public core::Api,
                      public HttpTaskApi,
                      public HttpWorkerApi,
                      public HttpRecordApi,
                      public HttpAdminApi,
                      public HttpRunApi,
                      public HttpScheduleApi {
 public:
  HttpApi(HttpTarget target, core::Random& random)
      : WithHttpConnection{HttpConnection{std::move(target), random}},
        HttpTaskApi(connection),
        HttpWorkerApi(connection),
        HttpRecordApi(connection),
        HttpAdminApi(connection),
        HttpRunApi(connection),
        HttpScheduleApi(connection) {}

  // Ends the current call and all later ones. Thread-safe.
  void cancel() { connection.cancel(); }
};

}  // namespace pawl::client
