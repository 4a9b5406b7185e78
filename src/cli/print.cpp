#include "cli/print.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/redact.hpp"
#include "core/base/printable.hpp"
#include "core/json/json.hpp"
#include "core/json/json_writer.hpp"

namespace pawl::cli {

namespace {

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none: return "";
    case Colour::bold: return "\x1b[1m";
    case Colour::dim: return "\x1b[2m";
    case Colour::red: return "\x1b[31m";
    case Colour::green: return "\x1b[32m";
    case Colour::yellow: return "\x1b[33m";
    case Colour::cyan: return "\x1b[36m";
  }
  return "";
}

constexpr std::array kColours{Colour::bold,  Colour::dim,    Colour::red,
                              Colour::green, Colour::yellow, Colour::cyan};
constexpr std::string_view kPlain = "\x1b[0m";

std::size_t width_of(std::string_view text) { return core::utf8_length(text).value_or(text.size()); }

// The length of the color code at the start of a text that `paint` could have written; 0 if there is none.
std::size_t paint_length(std::string_view text) {
  if (text.starts_with(kPlain)) return kPlain.size();
  const auto* const found = std::find_if(kColours.begin(), kColours.end(),
                                         [&](Colour colour) { return text.starts_with(code_of(colour)); });
  return found == kColours.end() ? 0 : code_of(*found).size();
}

// Keeps the color codes that `paint` writes; lines may contain no other escape.
std::string printable_line(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto escape = std::min(text.find('\x1b'), text.size());
    shown += core::printable(text.substr(0, escape));
    text.remove_prefix(escape);
    const std::size_t length = paint_length(text);
    shown += text.substr(0, length);
    if (length == 0 && !text.empty()) shown += ' ';
    text.remove_prefix(std::min(std::max<std::size_t>(length, 1), text.size()));
  }
  return shown;
}

std::string padded(const Cell& cell, std::size_t width, bool last, bool colours) {
  const std::string space(width - std::min(width, width_of(cell.text)), ' ');
  const std::string shown = paint(cell.text, cell.colour, colours);
  if (cell.right) return space + shown;
  return last ? shown : shown + space;
}

// The texts of the cells have no control characters.
std::string joined(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths, bool colours) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += padded(cells[i], widths[i], i + 1 == cells.size(), colours);
  }
  return line;
}

// The problem's detail already contains its first error.
bool is_said(const core::FieldError& error, const core::Problem& problem) {
  return &error == &problem.errors.front() && problem.detail.find(error.message) != std::string::npos;
}

struct Unit {
  core::Duration length;
  std::string_view name;
};
constexpr std::array kUnits{Unit{std::chrono::hours{24}, "d"}, Unit{std::chrono::hours{1}, "h"},
                            Unit{std::chrono::minutes{1}, "m"}, Unit{std::chrono::seconds{1}, "s"},
                            Unit{std::chrono::milliseconds{1}, "ms"}};

}  // namespace

std::string without_controls(std::string_view text) {
  std::string clean = core::printable(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return clean;
}

std::string paint(std::string_view text, Colour colour, bool colours) {
  if (!colours || colour == Colour::none) return std::string{text};
  return fmt::format("{}{}{}", code_of(colour), text, kPlain);
}

std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<std::vector<Cell>>& rows, bool colours) {
  std::vector<Cell> titles;
  for (const auto& column : columns) {
    titles.push_back({.text = column.title, .colour = Colour::bold, .right = column.right});
  }
  std::vector<std::vector<Cell>> all{titles};
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(columns.size(), 0);
  for (auto& row : all) {
    row.resize(columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i].right = columns[i].right;
      row[i].text = without_controls(row[i].text);
      widths[i] = std::max(widths[i], width_of(row[i].text));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : all) lines.push_back(joined(row, widths, colours));
  return lines;
}

void Printer::line(std::string_view text) const {
  fmt::print(out_, "{}\n", is_terminal() ? printable_line(text) : text);
}

void Printer::redraw_from(std::size_t lines_up) const {
  if (lines_up > 0) fmt::print(out_, "\x1b[{}F\x1b[0J", lines_up);
}

void Printer::clear_screen() const { fmt::print(out_, "\x1b[H\x1b[2J"); }

void Printer::table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) const {
  for (const auto& text : table_lines(columns, rows, colours_)) line(text);
}

void Printer::fields(const std::vector<std::pair<std::string, Cell>>& fields) const {
  std::size_t width = 0;
  for (const auto& [name, cell] : fields) width = std::max(width, width_of(name));
  for (const auto& [name, cell] : fields) {
    Cell value = cell;
    value.text = without_controls(value.text);
    line(joined({{.text = name, .colour = Colour::dim}, value}, {width, 0}, colours_));
  }
}

std::string Printer::without_secrets(std::string_view text) const {
  return without_quoted(without_passwords(text), secret_);
}

std::string Printer::shown(std::string_view text) const { return core::printable(without_secrets(text)); }

void Printer::write_event(std::FILE* file, std::string_view level, std::string_view text,
                          const Fields& fields, const core::Problem* problem) const {
  core::Writer out;
  out.begin_object().field("at", core::format_time(json_clock_->now())).field("level", level);
  out.field("what", without_secrets(text));
  for (const auto& [name, value] : fields) out.field(name, value);
  if (problem != nullptr) {
    out.field("code", core::kind_of(problem->code).name).key("errors").begin_array();
    for (const core::FieldError& error : problem->errors) {
      out.begin_object().field("field", error.field).field("message", without_secrets(error.message));
      if (error.line > 0) out.field("line", error.line);
      out.end_object();
    }
    out.end_array();
  }
  const std::string line = core::printable(out.end_object().take()) + "\n";
  (void)std::fwrite(line.data(), 1, line.size(), file);
}

int Printer::problem(std::string_view what, const core::Problem& problem) const {
  const int exit_code = core::kind_of(problem.code).exit_code;
  if (json_clock_ != nullptr) {
    write_event(err_, "error", fmt::format("{}: {}", what, problem.detail), {}, &problem);
    return exit_code;
  }
  fmt::print(err_, "{}: {}\n", what, shown(problem.detail));
  for (const auto& error : problem.errors) {
    if (is_said(error, problem)) continue;
    const std::string line = error.line > 0 ? fmt::format("line {}: ", error.line) : "";
    fmt::print(err_, "  {}{}: {}\n", line, core::printable(error.field), shown(error.message));
  }
  return exit_code;
}

int Printer::refusal(std::string_view what, const core::Problem& refused) const {
  constexpr int kFailed = 1;
  problem(what, refused);
  return kFailed;
}

void Printer::warn(std::string_view text) const {
  if (json_clock_ != nullptr) return write_event(err_, "warning", text, {});
  fmt::print(err_, "pawl: {}\n", shown(text));
}

void Printer::say(std::string_view text) const {
  if (json_clock_ != nullptr) return write_event(err_, "info", text, {});
  fmt::print(err_, "pawl: {}\n", shown(text));
}

void Printer::announce(std::string_view text, const Fields& fields) const {
  if (json_clock_ != nullptr) return write_event(out_, "info", text, fields);
  line(text);
  for (const auto& [name, value] : fields) line(value);
}

void Printer::wrong_usage(const std::string& message) const {
  if (json_clock_ != nullptr) return write_event(err_, "error", message, {});
  fmt::print(err_, "{}\n", shown(message));
}

void Printer::hint(std::string_view text) const {
  if (json_clock_ != nullptr) return write_event(err_, "info", text, {});
  fmt::print(err_, "  {}\n", shown(text));
}

void Printer::flush() const { std::fflush(out_); }

bool Printer::is_terminal() const { return isatty(fileno(out_)) == 1; }

std::string Printer::painted(std::string_view text, Colour colour) const {
  return paint(text, colour, colours_);
}

Colour colour_of_status(std::string_view status) {
  if (status == "completed" || status == "online") return Colour::green;
  if (status == "failed" || status == "dead_letter" || status == "offline") return Colour::red;
  if (status == "claimed" || status == "running") return Colour::cyan;
  if (status == "blocked" || status == "draining") return Colour::yellow;
  return status == "cancelled" ? Colour::dim : Colour::none;
}

std::string short_duration(core::Duration duration) {
  for (const auto& unit : kUnits) {
    if (duration >= unit.length) return fmt::format("{}{}", duration / unit.length, unit.name);
  }
  return "0s";
}

std::string long_duration(core::Duration duration) {
  for (std::size_t i = 0; i + 1 < kUnits.size(); ++i) {
    const Unit& unit = kUnits.at(i);
    const Unit& smaller = kUnits.at(i + 1);
    if (duration < unit.length) continue;
    const auto rest = duration % unit.length / smaller.length;
    const bool is_whole = rest == 0 || unit.length == std::chrono::seconds{1};
    const std::string text = fmt::format("{}{}", duration / unit.length, unit.name);
    return is_whole ? text : fmt::format("{} {}{}", text, rest, smaller.name);
  }
  return short_duration(duration);
}

std::string readable_duration(const std::string& text) {
  const auto duration = core::parse_duration(text);
  return duration ? long_duration(*duration) : text;
}

std::string relative_time(core::TimePoint time, core::TimePoint now) {
  if (time > now) return "in " + short_duration(time - now);
  return short_duration(now - time) + " ago";
}

std::string shortened(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string{text};
  std::size_t bytes = 0;
  for (std::size_t shown = 0; bytes < text.size() && shown + 1 < width; ++shown) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) ++bytes;
  }
  return std::string{text.substr(0, bytes)} + "…";
}

}  // namespace pawl::cli
