#pragma once
// A server for one test: the real program, on a free port, with its data in a temporary folder.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {

// Polls for at most a minute, without a pause: each poll must take some time, such as starting a program or
// calling one.
[[nodiscard]] bool await(const std::function<bool()>& there);

class LiveServer {
 public:
  // On a new SQLite file, or on the given store.
  explicit LiveServer(std::string store = "");

  void signal(int number) const { server_->signal(number); }
  // Kills the server and starts it again on the same port and data.
  void restart();

  // Runs pawl with PAWL_ADDRESS set.
  Ended pawl(std::vector<std::string> arguments, const std::string& input = "");
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int port() const { return std::stoi(address_.substr(address_.rfind(':') + 1)); }
  [[nodiscard]] pid_t pid() const { return server_->pid(); }
  [[nodiscard]] Variables variables() const { return {{"PAWL_ADDRESS", address_}}; }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

  // Returns the id of the new task.
  std::string enqueue(const std::string& type, const std::vector<std::string>& more = {});
  nlohmann::json show(const std::string& id);
  // Polls until the task has the status, for at most a minute, and returns it.
  nlohmann::json await_status(const std::string& id, const std::string& status);
  // Waits until the file exists.
  void await_file(const std::string& name) const;

 private:
  void start(const std::string& listen);

  TemporaryFolder folder_;
  std::string store_;
  std::unique_ptr<Program> server_;
  std::string address_;
};

}  // namespace pawl::testing
