#pragma once
// A server of its own for a test: the real program, on a free port, with its data in a temporary folder.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {

// Looks again and again, for a minute at most. Looking must take its time: it starts a program, or asks one.
[[nodiscard]] bool await(const std::function<bool()>& there);

class LiveServer {
 public:
  // On a SQLite file of its own, or on the store given.
  explicit LiveServer(std::string store = "");

  void signal(int number) const { server_->signal(number); }
  // Killed, and started again on the same port and data.
  void restart();

  // pawl with PAWL_ADDRESS set.
  Ended pawl(std::vector<std::string> arguments, const std::string& input = "");
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int port() const { return std::stoi(address_.substr(address_.rfind(':') + 1)); }
  [[nodiscard]] pid_t pid() const { return server_->pid(); }
  [[nodiscard]] Variables variables() const { return {{"PAWL_ADDRESS", address_}}; }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

  // The id of the new task.
  std::string enqueue(const std::string& type, const std::vector<std::string>& more = {});
  nlohmann::json show(const std::string& id);
  // The task once it is there; looks again and again, for a minute at most.
  nlohmann::json await_status(const std::string& id, const std::string& status);
  // Until the file is there.
  void await_file(const std::string& name) const;

 private:
  void start(const std::string& listen);

  TemporaryFolder folder_;
  std::string store_;
  std::unique_ptr<Program> server_;
  std::string address_;
};

}  // namespace pawl::testing
