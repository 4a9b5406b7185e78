#pragma once
// The calls that a worker makes, on one connection. One thread at a time, except for `cancel`.
//
// Invariant: the memory for an answer is bounded by the request: by the number of tasks of a claim, or of
// reports. A larger answer is `payload_too_large`, one with more tasks `internal`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/http_caller.hpp"
#include "core/base/result.hpp"

namespace pawl::worker {

struct ClaimedTask {
  std::string id = {};
  std::string type = {};
  std::string queue = {};
  std::string operation_key = {};
  std::string execution_key = {};
  std::string run_id = {};       // empty: not part of a run
  std::string node_id = {};      // the same
  std::string traceparent = {};  // empty: no trace
  std::string tracestate = {};
  std::int64_t attempt = 0;
  std::int64_t fence = 0;
  std::optional<core::Duration> timeout = {};  // of this attempt
  std::string payload = {};                    // byte for byte
  std::string object = {};                     // the whole task as the server sent it
};

struct ClaimRequest {
  std::string worker_id = {};
  std::vector<std::string> queues = {};
  std::vector<std::string> types = {};  // none: all
  int max = 1;
  core::Duration lease = {};
  core::Duration wait = {};
};

struct Registration {
  std::vector<std::string> queues = {};
  std::vector<std::string> types = {};
  std::string hostname = {};
  int pid = 0;
  std::string version = {};
  int max_concurrent = 1;
};

struct WorkerCounts {
  int active = 0;
  int completed = 0;  // since the last heartbeat
  int failed = 0;
};

// What a worker sends to stay online. The server adds up the counts of heartbeats: one that is sent again
// must be the same in all parts.
struct Heartbeat {
  std::string key = {};  // for idempotency
  WorkerCounts counts = {};
};

struct ReportResult {
  bool cancel_requested = false;
};

class WorkerApi {
 public:
  WorkerApi(client::HttpTarget server, const std::string& ns, core::Random& random);

  // Registers the worker; returns its id.
  [[nodiscard]] core::Result<std::string> enlist(const Registration& registration);
  [[nodiscard]] core::Status heartbeat(const std::string& worker_id, const Heartbeat& heartbeat,
                                       core::Duration timeout);
  [[nodiscard]] core::Status leave(const std::string& worker_id);
  [[nodiscard]] core::Result<std::vector<ClaimedTask>> claim(const ClaimRequest& request);
  // Returns one result per report, in order. Reports are JSON objects as text; each may safely be sent twice.
  [[nodiscard]] core::Result<std::vector<core::Result<ReportResult>>> report(
      const std::string& worker_id, const std::vector<std::string>& reports, core::Duration timeout);

  // Waits at most this long; returns the ids of tasks that were canceled or taken from the worker.
  [[nodiscard]] core::Result<std::vector<std::string>> await_notices(const std::string& worker_id,
                                                                     core::Duration wait);

  void cancel() { caller_.cancel(); }

 private:
  struct Terms {
    core::Duration timeout = {};
    std::size_t answer_bytes_max = 0;
    bool repeatable = true;  // as for HttpRequest
    std::string key = {};    // for idempotency; empty: none is given
  };
  core::Result<client::HttpAnswer> post(const std::string& path, std::string body, const Terms& terms);

  std::string base_;
  client::HttpCaller caller_;
};

}  // namespace pawl::worker
