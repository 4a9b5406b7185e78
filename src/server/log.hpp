#pragma once
// One line an event, on standard error: for people as text, for machines as JSON. No secrets: callers give
// names, ids and what went wrong, never headers, bodies or the store's address with its password. Any thread.

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/env.hpp"

namespace pawl::server {

enum class LogLevel { debug, info, warning, error };

class Log {
 public:
  struct Options {
    bool is_json = false;
    LogLevel least = LogLevel::info;
  };
  Log(core::Clock& clock, Options options) : clock_(clock), options_(options) {}

  using Fields = std::vector<std::pair<std::string_view, std::string>>;
  [[nodiscard]] bool shows(LogLevel level) const { return level >= options_.least; }
  void write(LogLevel level, std::string_view what, const Fields& fields = {});

 private:
  core::Clock& clock_;
  const Options options_;
  std::mutex mutex_;
};

}  // namespace pawl::server
