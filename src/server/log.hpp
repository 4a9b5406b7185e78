#pragma once
// Writes one line per event to standard error: text for people, JSON for machines. Lines contain no secrets:
// callers pass names, ids and errors, never headers, bodies or a store address with its password.
// Thread-safe.

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/env.hpp"

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
