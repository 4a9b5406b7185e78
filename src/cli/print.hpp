#pragma once
// What people see: tables with aligned columns, colours on a terminal; and what programs see: JSON, one
// document or one line per item. One thread at a time.
//
// Always: no text that is printed on a terminal or on stderr can move the cursor, reorder or hide other text
// (core::printable). Lines of stdout that a program reads are not changed.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem.hpp"
#include "core/time.hpp"

namespace pawl::cli {

enum class Colour : std::uint8_t { none, bold, dim, red, green, yellow, cyan };

struct Cell {
  std::string text = {};
  Colour colour = Colour::none;
  bool right = false;  // aligned: numbers
};

struct Column {
  std::string title;
  bool right = false;
};

// Lines of the table, the title line first; columns are as wide as their widest cell, counted in characters.
[[nodiscard]] std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                                   const std::vector<std::vector<Cell>>& rows, bool colours);

class Printer {
 public:
  Printer(std::FILE* out, std::FILE* err, bool colours) : out_(out), err_(err), colours_(colours) {}

  // No problem that is told from now on shows it.
  void hide(std::string secret) { secret_ = std::move(secret); }

  void line(std::string_view text) const;
  // On a terminal: the next lines replace the last `lines_up` ones.
  void redraw_from(std::size_t lines_up) const;
  void clear_screen() const;
  void table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) const;
  // "name  value" lines, names aligned.
  void fields(const std::vector<std::pair<std::string, Cell>>& fields) const;
  // The detail and the fields it names, on stderr. Gives the exit code.
  int problem(std::string_view what, const core::Problem& problem) const;
  // The same of what a server answered: it was reached and the command was understood, so that the operation
  // has failed.
  int refusal(std::string_view what, const core::Problem& problem) const;
  void warn(std::string_view text) const;
  // What to do about the problem that was just told.
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
};

[[nodiscard]] std::string paint(std::string_view text, Colour colour, bool colours);
// Of a task's or a worker's status.
[[nodiscard]] Colour colour_of_status(std::string_view status);
// "12s ago", "in 3m", "2d ago": the largest unit that fits.
[[nodiscard]] std::string relative_time(core::TimePoint time, core::TimePoint now);
[[nodiscard]] std::string short_duration(core::Duration duration);
// "14m 40s": the two largest units.
[[nodiscard]] std::string long_duration(core::Duration duration);
// The same of a duration as the API writes it; any other text as it is.
[[nodiscard]] std::string readable_duration(const std::string& text);
// One line of `core::printable` text.
[[nodiscard]] std::string without_controls(std::string_view text);
// How much of a name a table shows: whole where a person chose it, not where a program made it.
inline constexpr std::size_t kNameWidth = 48;
// At most `width` characters, the last one '…' where something was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

}  // namespace pawl::cli
