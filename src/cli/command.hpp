#pragma once
// A command of the command line is one row of a table. Parsing, help, completion and suggestions are
// generated from the rows.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/print.hpp"
#include "core/base/env.hpp"

namespace pawl::cli {

// `boolean` is a switch that can also be given as --name=false.
enum class ValueKind : std::uint8_t { none, boolean, text, integer, real, duration, time, choice };

struct Flag {
  std::string name = {};   // "--queue"
  std::string value = {};  // placeholder of the value in the help, such as "NAME"; empty for a switch
  std::string summary = {};
  ValueKind kind = ValueKind::text;
  // The default: shown in the help, and returned by Input::text if the flag is absent.
  std::string fallback = {};
  bool repeated = false;
  std::vector<std::string> choices = {};
  std::string variable = {};  // an environment variable with the same meaning
  // Another flag with the same meaning: if it is given, the variable is not read.
  std::string instead_of = {};
  bool required = false;
};

struct Argument {
  std::string name = {};  // "TYPE"
  std::string summary = {};
  bool required = true;
  std::vector<std::string> choices = {};
};

// The given flags and arguments. Reading a name that the command's row does not have is a bug.
class Input {
 public:
  void add(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  // The last value given; empty if none.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return std::stoll(text(name)); }
  [[nodiscard]] double real(const std::string& name) const { return std::stod(text(name)); }
  [[nodiscard]] core::Duration duration(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;  // by flag or argument name
};

using Environment = std::map<std::string, std::string>;

// The services of the process that a command uses.
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
