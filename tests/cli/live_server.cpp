#include "tests/cli/live_server.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace pawl::testing {

bool await(const std::function<bool()>& there) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!there()) {
    if (std::chrono::steady_clock::now() > until) return false;
  }
  return true;
}

LiveServer::LiveServer(std::string store) : store_(std::move(store)) {
  if (store_.empty()) store_ = "sqlite:" + folder_.path() + "/pawl.db";
  start("127.0.0.1:0");
}

void LiveServer::start(const std::string& listen) {
  server_.reset();
  server_ =
      std::make_unique<Program>(std::vector<std::string>{"serve", "--listen", listen, "--store", store_});
  const auto line = server_->read_line();
  const auto at = line.find("http://");
  EXPECT_NE(at, std::string::npos) << line;
  if (at != std::string::npos) address_ = line.substr(at);
}

void LiveServer::restart() { start(address_.substr(std::string_view{"http://"}.size())); }

Ended LiveServer::pawl(std::vector<std::string> arguments, const std::string& input) {
  return run_pawl(std::move(arguments), variables(), input);
}

std::string LiveServer::enqueue(const std::string& type, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"task", "enqueue", type, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto ended = pawl(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return nlohmann::json::parse(ended.out)["task"]["id"];
}

nlohmann::json LiveServer::show(const std::string& id) {
  const auto ended = pawl({"task", "show", id, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return nlohmann::json::parse(ended.out, nullptr, false);
}

nlohmann::json LiveServer::await_status(const std::string& id, const std::string& status) {
  nlohmann::json task;
  EXPECT_TRUE(await([&] {
    task = show(id);
    return task["status"] == status;
  })) << task.dump();
  return task;
}

void LiveServer::await_file(const std::string& name) const {
  EXPECT_TRUE(await([&] { return std::filesystem::exists(file(name)); })) << name;
}

}  // namespace pawl::testing
