#pragma once
// After the storm: waits until nothing is left to do, then compares what the store says with the ledger.
// Every difference is a violation of the ledger, and everything that was looked at is counted there.

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/client.hpp"
#include "tests/chaos/ledger.hpp"

namespace pawl::chaos {

// The name of their count: tasks and runs that were lost as documented.
inline constexpr const char* kLostWithTheTail = "tasks and runs lost with the end of the log, as documented";

class Checks {
 public:
  Checks(Client& client, Ledger& ledger) : client_(client), ledger_(ledger) {}

  // No slot fires from now on.
  void pause_schedules();
  // Until all tasks and runs have ended; a violation if nothing changes for a minute.
  void await_quiescence();

  void tasks();
  void limits();
  void runs();
  void schedules();
  // The last thing before `verify`: it has open keys to examine.
  void leave_open_key();
  // By `pawl verify`, which reads only the store. A check that examined nothing is a violation, since it has
  // proved nothing: the load of a campaign makes rows for every check.
  void verify(const std::string& binary, const std::string& store, const std::string& log);
  // How many rows or objects each check of `pawl verify` examined.
  [[nodiscard]] const std::map<std::string, std::int64_t>& verified() const { return verified_; }

 private:
  // All pages of a list.
  std::vector<json> all(const std::string& path);
  bool is_quiet();
  std::string counts();  // of all queues
  void ended_as(const std::string& object, const std::string& status);
  void lost(const std::string& object, Time acknowledged);
  void slots_of(const std::string& schedule);

  Client& client_;
  Ledger& ledger_;
  std::map<std::string, std::set<std::string>> tasks_by_schedule_;
  std::map<std::string, std::int64_t> verified_;
};

}  // namespace pawl::chaos
