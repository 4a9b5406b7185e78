#pragma once
// What a command of the command line is: one row, from which parsing, help, completion and suggestions are
// made.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/print.hpp"
#include "core/env.hpp"

namespace pawl::cli {

// `boolean` is a switch that may also be given as --name=false.
enum class ValueKind : std::uint8_t { none, boolean, text, integer, real, duration, time, choice };

struct Flag {
  std::string name = {};   // "--queue"
  std::string value = {};  // what stands for its value in the help: "NAME"; empty for a switch
  std::string summary = {};
  ValueKind kind = ValueKind::text;
  std::string fallback = {};  // shown in the help, and what Input::text gives when the flag is absent
  bool repeated = false;
  std::vector<std::string> choices = {};
  std::string variable = {};    // an environment variable that gives it too
  std::string instead_of = {};  // a flag that gives the same: where it was given, the variable is not read
  bool required = false;
};

struct Argument {
  std::string name = {};  // "TYPE"
  std::string summary = {};
  bool required = true;
  std::vector<std::string> choices = {};
};

// What was given. Asking for a name that the command's row does not have is a bug.
class Input {
 public:
  void add(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  // The last one given; empty if none.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return std::stoll(text(name)); }
  [[nodiscard]] double real(const std::string& name) const { return std::stod(text(name)); }
  [[nodiscard]] core::Duration duration(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;  // by flag or argument name
};

using Environment = std::map<std::string, std::string>;

// What the process hands to a command.
struct Context {
  const Environment& environment;
  core::Clock& clock;
  core::Random& random;
  Printer& out;
};

using Handler = std::function<int(Context&, const Input&)>;

struct Command {
  std::string path = {};  // "task enqueue"
  std::string summary = {};
  std::vector<Argument> arguments = {};
  std::vector<Flag> flags = {};
  std::string example = {};
  Handler handler = {};
};

}  // namespace pawl::cli
