#include "cli/run_watch.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

constexpr core::Duration kBetweenLooks = std::chrono::milliseconds{250};
constexpr int kDepthMax = 3;              // levels of children that are drawn
constexpr std::size_t kChildrenMax = 10;  // children drawn for one run

constexpr std::array kEnds{"completed", "failed", "compensated", "compensation_failed", "cancelled"};

bool has_ended(const Json& run) {
  const auto state = text_at(run, "state");
  return std::find(kEnds.begin(), kEnds.end(), state) != kEnds.end();
}

struct Terminal {
  std::size_t width = 100;
  std::size_t height = 50;
};
Terminal terminal() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 3;
  return is_known ? Terminal{.width = size.ws_col, .height = size.ws_row} : Terminal{};
}

// Lines that do not fit on the screen could not be redrawn.
void cut_to(std::size_t height, std::vector<std::string>& lines) {
  if (lines.size() < height) return;
  const std::size_t kept = height - 2;
  const std::string rest = fmt::format("… {} more lines: pawl run show", lines.size() - kept);
  lines.resize(kept);
  lines.push_back(rest);
}

core::Result<RunTree> look(Session& session, const std::string& id, int depth) {
  const auto answer = session.get(run_path(id, "?include=tasks"));
  if (!answer) return answer.problem();
  auto run = json_of(*answer);
  if (!run) return run.problem();
  RunTree tree{.run = *std::move(run)};
  auto children = child_ids(tree.run);
  children.resize(depth < kDepthMax ? std::min(children.size(), kChildrenMax) : 0);
  for (const auto& child : children) {
    auto below = look(session, child, depth + 1);
    if (below) tree.children.emplace(child, *std::move(below));
  }
  return tree;
}

std::string event_line(const Json& event, Context& context) {
  const auto payload = event.value("payload", Json::object());
  const auto type = text_at(event, "type");
  std::string line =
      fmt::format("{:>5}  {}  {:<24}", text_at(event, "sequence"), text_at(event, "at").substr(11, 12), type);
  const auto add = [&](const std::string& text) {
    if (!text.empty()) line += " " + without_controls(shortened(text, 60));
  };
  add(text_at(payload, "node_id"));
  if (const auto attempt = text_at(payload, "attempt"); !attempt.empty() && attempt != "1")
    add("attempt " + attempt);
  add(text_at(payload, "signal"));
  add(text_at(payload, "reason"));
  const bool is_bad = type.ends_with("failed") || type.ends_with("exceeded");
  const auto error = payload.value("error", Json());
  if (error.is_object()) add(text_at(error, "code") + ": " + text_at(error, "message"));
  line.erase(line.find_last_not_of(' ') + 1);
  return context.out.painted(line, is_bad ? Colour::red : Colour::none);
}

void print_event(std::string_view event, Context& context, bool as_json) {
  context.out.line(as_json ? client::one_line(event) : event_line(Json::parse(event), context));
}

// Prints the events after `after` and returns the last sequence.
core::Result<std::int64_t> print_events(Session& session, Context& context, const std::string& id,
                                        std::int64_t after, bool as_json) {
  const auto listed = each_item(session, run_path(id, "/events"), fmt::format("&after={}", after), 0,
                                [&](std::string_view event) {
                                  after = Json::parse(event).value("sequence", after);
                                  print_event(event, context, as_json);
                                });
  if (!listed) return listed.problem();
  context.out.flush();
  return after;
}

core::Result<Json> get_run(Session& session, const std::string& id) {
  const auto answer = session.get(run_path(id));
  if (!answer) return answer.problem();
  return json_of(*answer);
}

// Runs until the run has ended and all of its events are printed.
core::Status follow_events(Session& session, Context& context, const std::string& id, std::int64_t after,
                           bool as_json) {
  const Interrupts interrupts;
  do {
    const auto run = get_run(session, id);  // before its events, so that the last events are printed too
    if (!run) return run.problem();
    const auto last = print_events(session, context, id, after, as_json);
    if (!last) return last.problem();
    after = *last;
    if (has_ended(*run) && after >= run->value("sequence", std::int64_t{0})) break;
  } while (!interrupts.ended_within(kBetweenLooks));
  return core::Done{};
}

core::Status draw_live(Session& session, Context& context, const std::string& id) {
  const Interrupts interrupts;
  std::size_t drawn = 0;
  bool is_over = false;
  while (!is_over) {
    const auto tree = look_at_run(session, id);
    if (!tree) return tree.problem();
    const Terminal screen = terminal();
    auto lines = tree_lines(*tree, context.clock.now(), {.colours = true, .width = screen.width});
    cut_to(screen.height, lines);
    context.out.redraw_from(drawn);
    context.out.line(fmt::format("{}", fmt::join(lines, "\n")));
    context.out.flush();
    drawn = lines.size();
    is_over = has_ended(tree->run) || interrupts.ended_within(kBetweenLooks);
  }
  return core::Done{};
}

core::Status print_changes(Session& session, Context& context, const std::string& id) {
  const Interrupts interrupts;
  std::int64_t seen = -1;
  do {
    const auto answer = session.get(run_path(id, "?include=tasks"));
    if (!answer) return answer.problem();
    const auto run = json_of(*answer);
    if (!run) return run.problem();
    if (const auto sequence = run->value("sequence", std::int64_t{0}); sequence != seen) {
      seen = sequence;
      context.out.line(client::one_line(answer->body));
      context.out.flush();
    }
    if (has_ended(*run)) break;
  } while (!interrupts.ended_within(kBetweenLooks));
  return core::Done{};
}

int watch(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) {
    return watch_run(session, context, input.text("ID"), input.has("--json"));
  });
}

int events(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto after = input.integer("--after");
    if (input.has("--follow"))
      return follow_events(session, context, input.text("ID"), after, input.has("--json"));
    const auto printed = print_events(session, context, input.text("ID"), after, input.has("--json"));
    return printed ? core::Status{core::Done{}} : core::Status{printed.problem()};
  });
}

}  // namespace

std::string run_path(const std::string& id, const std::string& rest) {
  return "/runs/" + client::percent_encoded(id) + rest;
}

core::Result<RunTree> look_at_run(Session& session, const std::string& id) { return look(session, id, 0); }

void print_tree(Context& context, const RunTree& tree) {
  const bool colours = context.out.colours();
  for (const auto& line :
       tree_lines(tree, context.clock.now(), {.colours = colours, .width = terminal().width}))
    context.out.line(line);
}

core::Status watch_run(Session& session, Context& context, const std::string& id, bool as_json) {
  if (as_json) return print_changes(session, context, id);
  if (context.out.colours()) return draw_live(session, context, id);
  const auto followed = follow_events(session, context, id, 0, false);
  if (!followed) return followed;
  const auto tree = look_at_run(session, id);
  if (!tree) return tree.problem();
  print_tree(context, *tree);
  return core::Done{};
}

core::Status await_end(Session& session, const std::string& id) {
  const Interrupts interrupts;
  do {
    const auto run = get_run(session, id);
    if (!run) return run.problem();
    if (has_ended(*run)) break;
  } while (!interrupts.ended_within(kBetweenLooks));
  return core::Done{};
}

core::Status ended_well(const Json& run) {
  const auto state = text_at(run, "state");
  if (state == "completed") return core::Done{};
  const auto error = run.value("error", Json());
  const std::string why = error.is_object() ? ": " + text_at(error, "message") : "";
  return core::Problem{.code = core::ProblemCode::invalid_state,
                       .detail = fmt::format("the run is {}{}", state, why)};
}

std::vector<Command> run_watch_commands() {
  const Argument id{.name = "ID", .summary = "The run's id"};
  return {{.path = "run watch",
           .summary = "Watch a run until it ends",
           .arguments = {id},
           .flags = server_flags(),
           .example = "pawl run watch 0198c0de-0000-7000-8000-000000000000",
           .handler = watch},
          {.path = "run events",
           .summary = "Show what happened to a run",
           .arguments = {id},
           .flags = with_server_flags(
               {{.name = "--follow", .summary = "And what happens, until it ends", .kind = ValueKind::none},
                {.name = "--after",
                 .value = "N",
                 .summary = "Only events behind this sequence",
                 .kind = ValueKind::integer,
                 .fallback = "0"}}),
           .example = "pawl run events 0198c0de-0000-7000-8000-000000000000 --follow",
           .handler = events}};
}

}  // namespace pawl::cli
