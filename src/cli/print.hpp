#pragma once
// Prints a command's output: tables with aligned columns and colors for people, or JSON for programs, as one
// document or one line per item. Not thread-safe.
//
// No text printed on a terminal or on stderr can move the cursor, or reorder or hide other text
// (core::printable). Lines on stdout that a program reads are not changed. No text on stderr shows the
// password of a store.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/base/problem.hpp"
#include "core/base/time.hpp"

namespace pawl::cli {

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow, cyan };

struct Cell {
  std::string text = {};
  Colour colour = Colour::none;
  bool right = false;  // align right, for numbers
};

struct Column {
  std::string title;
  bool right = false;
};

// The lines of a table, with the titles first. A column is as wide as its widest cell, counted in characters.
[[nodiscard]] std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                                   const std::vector<std::vector<Cell>>& rows, bool colours);

class Printer {
 public:
  Printer(std::FILE* out, std::FILE* err, bool colours) : out_(out), err_(err), colours_(colours) {}

  // From now on each problem, warning, hint, message and announcement is one line with a JSON object that has
  // the members of server::Log. `clock` must outlive the printer.
  void log_json(core::Clock& clock) { json_clock_ = &clock; }
  // From now on no line on stderr shows this secret in double quotes.
  void hide(std::string secret) { secret_ = std::move(secret); }

  void line(std::string_view text) const;
  // On a terminal: the next lines replace the last `lines_up` lines.
  void redraw_from(std::size_t lines_up) const;
  void clear_screen() const;
  void table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) const;
  // Prints "name  value" lines with aligned names.
  void fields(const std::vector<std::pair<std::string, Cell>>& fields) const;
  // Prints the problem's detail and fields on stderr. Returns the exit code of the problem.
  int problem(std::string_view what, const core::Problem& problem) const;
  // Like problem(), but for a server's error response. The server was reached and understood the command, so
  // the exit code is always 1: the operation failed.
  int refusal(std::string_view what, const core::Problem& problem) const;
  void warn(std::string_view text) const;
  // Prints messages of a running server or worker: say() on stderr, announce() on stdout with its fields.
  void say(std::string_view text) const;
  using Fields = std::vector<std::pair<std::string_view, std::string>>;
  void announce(std::string_view text, const Fields& fields = {}) const;
  // Prints why the command line is rejected, on stderr.
  void wrong_usage(const std::string& message) const;
  // Prints what to do about the problem that was just printed.
  void hint(std::string_view text) const;
  void flush() const;

  [[nodiscard]] std::string painted(std::string_view text, Colour colour) const;
  [[nodiscard]] bool colours() const { return colours_; }
  [[nodiscard]] bool is_terminal() const;

 private:
  std::FILE* out_;
  std::FILE* err_;
  bool colours_;
  std::string secret_ = {};
  core::Clock* json_clock_ = nullptr;  // null: text lines

  [[nodiscard]] std::string without_secrets(std::string_view text) const;
  // A text for stderr: printable and without secrets.
  [[nodiscard]] std::string shown(std::string_view text) const;
  void write_event(std::FILE* file, std::string_view level, std::string_view text, const Fields& fields,
                   const core::Problem* problem = nullptr) const;
};

[[nodiscard]] std::string paint(std::string_view text, Colour colour, bool colours);
// The color of a task's or a worker's status.
[[nodiscard]] Colour colour_of_status(std::string_view status);
// "12s ago", "in 3m", "2d ago": the largest unit that fits.
[[nodiscard]] std::string relative_time(core::TimePoint time, core::TimePoint now);
[[nodiscard]] std::string short_duration(core::Duration duration);
// "14m 40s": the two largest units.
[[nodiscard]] std::string long_duration(core::Duration duration);
// Converts a duration of the API to that form; returns any other text unchanged.
[[nodiscard]] std::string readable_duration(const std::string& text);
// Converts text to one line of `core::printable` text.
[[nodiscard]] std::string without_controls(std::string_view text);
// Width of a name in a table: enough for names that people choose, not for generated ones.
inline constexpr std::size_t kNameWidth = 48;
// At most `width` characters; the last one is '…' if the text was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

}  // namespace pawl::cli
