#include "cli/run_tree.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/json/json.hpp"

namespace pawl::cli {

namespace {

struct Mark {
  std::string_view state;
  std::string_view mark;
};
constexpr std::array kMarks{Mark{"completed", "✓"}, Mark{"failed", "✗"},   Mark{"running", "●"},
                            Mark{"pending", "○"},   Mark{"waiting", "◔"},  Mark{"blocked", "·"},
                            Mark{"skipped", "-"},   Mark{"cancelled", "⊘"}};
constexpr std::size_t kBarWidth = 24;
constexpr std::size_t kElementsShown = 5;  // elements of a for_each that failed or run

std::string_view mark_of(const std::string& state) {
  const auto* found =
      std::find_if(kMarks.begin(), kMarks.end(), [&](const Mark& one) { return one.state == state; });
  return found == kMarks.end() ? "?" : found->mark;
}

bool is_element(const Json& task) { return !text_at(task, "item").empty(); }
bool is_compensation(const Json& task) { return text_at(task, "type") == "compensation"; }
bool has_begun(const Json& task) { return !text_at(task, "scheduled_at").empty(); }

std::optional<core::Duration> took(const Json& object, const char* from, const char* to,
                                   core::TimePoint now) {
  const auto begin = core::parse_time(text_at(object, from));
  if (!begin) return std::nullopt;
  const auto end = core::parse_time(text_at(object, to));
  return std::max(core::Duration{0}, (end ? *end : now) - *begin);
}

std::string error_text(const Json& object, const char* name = "error") {
  const auto error = object.value(name, Json());
  if (!error.is_object()) return "";
  const std::string message = text_at(error, "message");
  return without_controls(text_at(error, "code") + (message.empty() ? "" : ": " + message));
}

class TreeText {
 public:
  TreeText(core::TimePoint now, TreeStyle style) : now_(now), style_(style) {}

  std::vector<std::string> draw(const RunTree& tree) {
    const Json& run = tree.run;
    lines_.push_back(title(run));
    for (const char* name : {"error", "compensation_error"}) {
      if (const auto error = error_text(run, name); !error.empty()) add("", error, Colour::red);
    }
    lines_.push_back(progress(run.value("counts", Json::object())));
    draw_tasks(tree, "");
    return std::move(lines_);
  }

 private:
  [[nodiscard]] std::string painted(std::string_view text, Colour colour) const {
    return paint(text, colour, style_.colours);
  }

  // Cuts the line before coloring it: a wrapped line would break the redrawing.
  void add(const std::string& before, const std::string& text, Colour colour) {
    lines_.push_back(before + painted(shortened(text, style_.width), colour));
  }

  [[nodiscard]] std::string title(const Json& run) const {
    const std::string state = text_at(run, "state");
    std::string line = fmt::format("{}  {}  {}", painted(text_at(run, "workflow"), Colour::bold),
                                   text_at(run, "id"), painted(state, colour_of_state(state)));
    if (const auto time = took(run, "started_at", "finished_at", now_)) line += "  " + short_duration(*time);
    if (const auto status = text_at(run, "custom_status"); !status.empty())
      line += "  " + without_controls(status);
    return line;
  }

  [[nodiscard]] std::string progress(const Json& counts) const {
    std::int64_t total = 0;
    for (const auto& [name, value] : counts.items()) total += number_at(counts, name);
    const std::int64_t open = number_at(counts, "blocked") + number_at(counts, "pending") +
                              number_at(counts, "running") + number_at(counts, "waiting");
    const std::int64_t ended = total - open;
    const auto filled =
        total == 0 ? 0 : static_cast<std::size_t>(ended * static_cast<std::int64_t>(kBarWidth) / total);
    std::string bar;
    for (std::size_t i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
    std::string line = fmt::format("{} {}/{}", painted(bar, Colour::green), ended, total);
    for (const auto* name : {"running", "failed", "skipped", "cancelled"}) {
      if (const auto count = number_at(counts, name); count > 0) line += fmt::format("  {} {}", count, name);
    }
    return line;
  }

  // Draws the tasks first, then their compensations, each group in its order.
  void draw_tasks(const RunTree& tree, const std::string& indent) {
    std::vector<const Json*> rows;
    std::vector<const Json*> undone;
    const Json tasks = tree.run.value("tasks", Json::array());
    for (const Json& task : tasks) {
      if (is_compensation(task)) {
        if (has_begun(task)) undone.push_back(&task);
      } else if (!is_element(task)) {
        rows.push_back(&task);
      }
    }
    const std::size_t name_width = widest(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_last = i + 1 == rows.size() && undone.empty();
      draw_task(tree, tasks, *rows[i], {.indent = indent, .is_last = is_last, .name_width = name_width});
    }
    if (undone.empty()) return;
    lines_.push_back(indent + painted("└─ undone, the last first", Colour::yellow));
    std::stable_sort(undone.begin(), undone.end(), [](const Json* a, const Json* b) {
      return text_at(*a, "scheduled_at") < text_at(*b, "scheduled_at");
    });
    const std::size_t undone_width = widest(undone);
    for (std::size_t i = 0; i < undone.size(); ++i) {
      add_row(*undone[i],
              {.indent = indent + "   ", .is_last = i + 1 == undone.size(), .name_width = undone_width},
              "↩ ");
    }
  }

  struct Place {
    std::string indent = {};
    bool is_last = false;
    std::size_t name_width = 0;
  };

  static std::size_t widest(const std::vector<const Json*>& rows) {
    std::size_t width = 0;
    for (const Json* row : rows) width = std::max(width, core::utf8_length(text_at(*row, "id")).value_or(0));
    return std::min<std::size_t>(width, 40);
  }

  void draw_task(const RunTree& tree, const Json& tasks, const Json& task, const Place& place) {
    add_row(task, place, "");
    const std::string below = place.indent + (place.is_last ? "   " : "│  ");
    if (task.value("items", Json()).is_object()) draw_elements(tree, tasks, task, below);
    const auto child = tree.children.find(text_at(task, "child_run_id"));
    if (child != tree.children.end()) draw_tasks(child->second, below);
  }

  // Of many elements, shows the failed and the active ones.
  void draw_elements(const RunTree& tree, const Json& tasks, const Json& whole, const std::string& indent) {
    std::vector<const Json*> rows;
    for (const std::string state : {"failed", "running", "waiting"}) {
      for (const Json& task : tasks) {
        if (is_element(task) && text_at(task, "node_id") == text_at(whole, "node_id") &&
            text_at(task, "state") == state)
          rows.push_back(&task);
      }
    }
    const std::size_t more = rows.size() - std::min(rows.size(), kElementsShown);
    rows.resize(rows.size() - more);
    const std::size_t name_width = widest(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_last = i + 1 == rows.size() && more == 0;
      draw_task(tree, tasks, *rows[i], {.indent = indent, .is_last = is_last, .name_width = name_width});
    }
    if (more > 0) lines_.push_back(fmt::format("{}└─ {} more like these", indent, more));
  }

  void add_row(const Json& task, const Place& place, std::string_view before_name) {
    const std::string state = text_at(task, "state");
    std::string id = shortened(text_at(task, "id"), 40);
    const std::size_t length = core::utf8_length(id).value_or(id.size());
    id += std::string(place.name_width - std::min(place.name_width, length), ' ');
    std::string line = place.indent + (place.is_last ? "└─ " : "├─ ") +
                       painted(mark_of(state), colour_of_state(state)) + " " + std::string{before_name} + id;
    const std::string about = about_task(task, state);
    if (!about.empty()) line += "  " + about;
    if (const auto error = error_text(task); !error.empty())
      line += "  " + painted(shortened(error, style_.width / 2), Colour::red);
    while (line.ends_with(' ')) line.pop_back();
    lines_.push_back(line);
  }

  [[nodiscard]] std::string about_task(const Json& task, const std::string& state) const {
    std::vector<std::string> parts;
    if (state != "completed" && state != "failed") parts.push_back(painted(state, colour_of_state(state)));
    if (const auto time = took(task, "scheduled_at", "finished_at", now_); time && has_begun(task))
      parts.push_back(short_duration(*time));
    if (const auto attempt = number_at(task, "attempt"); attempt > 1)
      parts.push_back(fmt::format("attempt {}", attempt));
    if (const auto items = task.value("items", Json()); items.is_object())
      parts.push_back(about_items(items));
    const auto due = core::parse_time(text_at(task, "due_at"));
    if (due && state == "waiting") parts.push_back("until " + text_at(task, "due_at").substr(11, 8));
    if (const auto type = text_at(task, "type"); type == "signal" && state == "waiting")
      parts.emplace_back("for a signal");
    if (const auto child = text_at(task, "child_run_id"); !child.empty()) parts.push_back("run " + child);
    return fmt::format("{}", fmt::join(parts, "  "));
  }

  [[nodiscard]] static std::string about_items(const Json& items) {
    const auto total = number_at(items, "total");
    const auto left = number_at(items, "left");
    const auto failed = number_at(items, "failed");
    std::string text = fmt::format("{} of {} done", total - left - failed, total);
    if (failed > 0) text += fmt::format(", {} failed", failed);
    return text;
  }

  core::TimePoint now_;
  TreeStyle style_;
  std::vector<std::string> lines_ = {};
};

}  // namespace

Colour colour_of_state(std::string_view state) {
  if (state == "completed" || state == "completing") return Colour::green;
  if (state == "failed" || state == "failing" || state == "compensation_failed") return Colour::red;
  if (state == "running") return Colour::cyan;
  if (state == "compensating" || state == "compensated" || state == "paused" || state == "waiting" ||
      state == "sleeping")
    return Colour::yellow;
  if (state == "cancelled" || state == "skipped" || state == "blocked") return Colour::dim;
  return Colour::none;
}

std::vector<std::string> child_ids(const Json& run) {
  std::vector<std::string> ids;
  for (const Json& task : run.value("tasks", Json::array())) {
    if (const auto id = text_at(task, "child_run_id"); !id.empty()) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> tree_lines(const RunTree& tree, core::TimePoint now, TreeStyle style) {
  return TreeText{now, style}.draw(tree);
}

}  // namespace pawl::cli
