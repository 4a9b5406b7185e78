#pragma once
// The workloads of `pawl bench`, which run in process or through a server, on the given store. They measure
// and report; they assert nothing.

#include <functional>
#include <string>
#include <vector>

#include "bench/measurement.hpp"
#include "client/open_store.hpp"
#include "core/base/time.hpp"

namespace pawl::bench {

struct Options {
  client::StoreAddress store = {};
  core::Duration seconds = std::chrono::seconds{5};  // per measurement
  bool baseline = false;
  int batch = 100;          // tasks per call of a worker or producer
  int workers = 32;         // concurrent workers
  int backlog = 1'000'000;  // deep: future and pending tasks of other queues, of each kind
  int waiting = 10'000;     // memory: waiting claims
  int finished = 500'000;   // retention: tasks past their retention
  int sleeping = 100'000;   // sleepers: sleeping workflows
  int iterations = 10'000;  // loop: iterations of the longest loop
  core::Duration held = std::chrono::minutes{2};  // how long the load runs with an open snapshot
};

// Called with each figure as soon as it is measured.
using Report = std::function<void(const Measurement&)>;

// Starts a server process on the options' store with these settings (key=value).
struct ServerProcess {
  std::string address = {};
  int pid = 0;
};
using StartServer = std::function<ServerProcess(const std::vector<std::string>& settings)>;

void run_jobs(const Options& options, const Report& report);
void run_http_jobs(const Options& options, const StartServer& start_server, const Report& report);
void run_http_cold(const Options& options, const StartServer& start_server, const Report& report);
void run_http_memory(const Options& options, const StartServer& start_server, const Report& report);
void run_latency(const Options& options, const Report& report);
void run_graph(const Options& options, const Report& report);
void run_steps(const Options& options, const Report& report);
void run_http_steps(const Options& options, const StartServer& start_server, const Report& report);
void run_loop(const Options& options, const Report& report);
void run_http_loop(const Options& options, const StartServer& start_server, const Report& report);
void run_sleepers(const Options& options, const Report& report);
void run_deep(const Options& options, const Report& report);
void run_held(const Options& options, const Report& report);
void run_retention(const Options& options, const Report& report);

}  // namespace pawl::bench
