// Faults of a store, of its clock and of a node's file descriptors.
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "client/http_caller.hpp"
#include "net/descriptor.hpp"
#include "tests/chaos/faults.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr rlim_t kSpareDescriptors = 4;
constexpr std::size_t kIdleConnections = 20;

Time now() { return std::chrono::steady_clock::now(); }

rlim_t open_descriptors(pid_t pid) {
  rlim_t count = 0;
  for (const auto& entry : fs::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"})
    count += entry.exists() || entry.is_symlink() ? 1 : 0;
  return count;
}

// Keeps the hard limit, so that the soft limit can be restored.
rlim_t limit_descriptors(pid_t pid, rlim_t most) {
  rlimit before{};
  ::prlimit(pid, RLIMIT_NOFILE, nullptr, &before);
  const rlimit limit{.rlim_cur = most, .rlim_max = before.rlim_max};
  ::prlimit(pid, RLIMIT_NOFILE, &limit, nullptr);
  return before.rlim_cur;
}

// The kernel completes the connection even if the program cannot accept it.
net::Descriptor idle_connection(const std::string& address) {
  net::Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  (void)::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to);
  return socket;
}

// Copies as much as it can read: a node may truncate its WAL meanwhile.
void copy_live(const fs::path& from, const fs::path& to) {
  std::ifstream in{from, std::ios::binary};
  std::ofstream{to, std::ios::binary} << in.rdbuf();
}

}  // namespace

void Faults::restart_database() {
  cluster_.primary().stop_immediately();
  wait(50, 500);
  cluster_.primary().start();
  ++landed_[Fault::restart_database];
  await_writes(Fault::restart_database, std::chrono::steady_clock::now());
}

void Faults::fail_over() {
  cluster_.fail_over();
  ++landed_[Fault::fail_over];
  await_writes(Fault::fail_over, std::chrono::steady_clock::now());
}

// Commits with a canceled wait exist only on the primary, so no call may return success for them.
void Faults::cancel_sync_waits() {
  cluster_.standby().stop_immediately();
  ledger_.must_not_acknowledge();
  const Time until = now() + 1s + std::chrono::milliseconds{chance_.below(2'000)};
  const bool terminate = chance_.chance(0.3);
  int ended = 0;
  while (now() < until) {
    ended += cluster_.primary().end_sync_waits(terminate);
    std::this_thread::sleep_for(20ms);
  }
  ledger_.may_acknowledge();
  cluster_.standby().start();
  const Time since = now();
  ledger_.count("waits for a synchronous standby that were canceled", ended);
  if (ended > 0) ++landed_[Fault::cancel_sync_waits];
  await_writes(Fault::cancel_sync_waits, since);
}

// A standby that did not receive the end of the log takes over. Work acknowledged before the standby went
// down must survive.
void Faults::promote_asynchronous() {
  ledger_.lost_tail_begins();
  cluster_.primary().await_received_by(cluster_.standby());
  cluster_.standby().stop_immediately();
  wait(1'000, 2'000);
  cluster_.primary().stop_immediately();
  cluster_.standby().start();
  cluster_.fail_over();
  ++landed_[Fault::promote_asynchronous];
  const Time since = now();
  ledger_.lost_tail_ends();
  await_writes(Fault::promote_asynchronous, since);
}

void Faults::crash_unflushed() {
  ledger_.lost_tail_begins();
  cluster_.primary().flush();
  wait(500, 2'000);
  // Vacuum and other work also flush the log with `synchronous_commit = off`.
  const Time until = now() + 5s;
  bool is_unflushed = cluster_.primary().has_unflushed_log();
  while (!is_unflushed && now() < until) is_unflushed = cluster_.primary().has_unflushed_log();
  cluster_.primary().stop_immediately();
  cluster_.primary().start();
  if (is_unflushed) ++landed_[Fault::crash_unflushed];
  const Time since = now();
  ledger_.lost_tail_ends();
  await_writes(Fault::crash_unflushed, since);
}

void Faults::exhaust_descriptors(int node) {
  const pid_t pid = cluster_.process(node).pid();
  const rlim_t most = open_descriptors(pid) + kSpareDescriptors;
  const rlim_t before = limit_descriptors(pid, most);
  std::vector<net::Descriptor> idle;
  for (std::size_t i = 0; i < kIdleConnections; ++i) idle.push_back(idle_connection(cluster_.address(node)));
  const Time until = now() + 1s + std::chrono::milliseconds{chance_.below(2'000)};
  bool has_landed = false;
  while (now() < until) {
    has_landed = has_landed || open_descriptors(pid) >= most;
    std::this_thread::sleep_for(20ms);
  }
  if (has_landed) ++landed_[Fault::exhaust_descriptors];
  (void)limit_descriptors(pid, before);
  idle.clear();
  await_writes(Fault::exhaust_descriptors, now(), node);
}

// Moves the file away, in half of the cases with a copy in its place, and then restores the original. The
// nodes keep the original open, although its path is gone.
void Faults::replace_file() {
  const fs::path file = cluster_.sqlite_file() + (chance_.chance(0.3) ? "-wal" : "");
  const fs::path aside = file.string() + ".aside";
  const bool has_copy = chance_.chance(0.5);
  const std::int64_t refused = counts_.refused;
  if (has_copy) copy_live(file, file.string() + ".copy");
  fs::rename(file, aside);
  if (has_copy) fs::rename(file.string() + ".copy", file);
  ledger_.must_not_acknowledge();
  wait(500, 1'500);
  ledger_.may_acknowledge();
  fs::rename(aside, file);
  if (counts_.refused > refused) ++landed_[Fault::replace_file];
  await_writes(Fault::replace_file, now());
}

// The clock stays stepped: stepping it back would keep dead workers' leases from expiring until it caught up.
void Faults::step_clock(Fault fault) {
  constexpr std::array kSteps{30s, -30s, 3'600s, -3'600s};
  clock_ahead_ += kSteps.at(chance_.below(kSteps.size()));
  cluster_.set_clock(clock_ahead_);
  ++landed_[fault];
  await_writes(fault, now());
  wait(2'000, 4'000);
}

}  // namespace pawl::chaos
