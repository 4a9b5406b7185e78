#pragma once
// The checks after the faults: wait until all work has ended, then compare the store's contents with the
// ledger. Every difference becomes a violation in the ledger, and the ledger counts every examined object.

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/chaos/client.hpp"
#include "tests/chaos/ledger.hpp"

namespace pawl::chaos {

// The name of the count of tasks and runs that were lost as documented.
inline constexpr const char* kLostWithTheTail = "tasks and runs lost with the end of the log, as documented";

class Checks {
 public:
  Checks(Client& client, Ledger& ledger) : client_(client), ledger_(ledger) {}

  // Stops all further firings.
  void pause_schedules();
  // Waits until all tasks and runs have ended. A minute without progress is a violation.
  void await_quiescence();

  void tasks();
  void limits();
  void runs();
  void schedules();
  // Call it last before `verify`: it creates the open keys that `verify` examines.
  void leave_open_key();
  // Runs `pawl verify`, which reads only the store. A check that examined nothing is a violation, since it
  // proved nothing: a campaign's load creates rows for every check.
  void verify(const std::string& binary, const std::string& store, const std::string& log);
  // The number of rows or objects that each check of `pawl verify` examined.
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
