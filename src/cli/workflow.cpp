// pawl workflow: applies definitions and shows them.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/payload.hpp"
#include "cli/session.hpp"
#include "client/definition_name.hpp"
#include "client/raw_json.hpp"
#include "core/definition/definition.hpp"
#include "core/definition/graph_text.hpp"

namespace pawl::cli {

namespace {

constexpr const char* kYaml = "application/yaml";
constexpr const char* kJson = "application/json";

std::string definition_path(const std::string& name) {
  return "/definitions/" + client::percent_encoded(name);
}

int apply(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const std::string file = input.text("FILE");
    auto text = read_file(file);
    if (!text) return text.problem();
    const bool is_json = file.ends_with(".json");
    const auto name = client::definition_name({.text = *text, .is_json = is_json});
    if (!name) return name.problem();
    const auto answer = session.put(definition_path(*name), *std::move(text), is_json ? kJson : kYaml);
    return print_answer(context, input, answer, [&](const Json& put) {
      context.out.line(fmt::format("{}  version {}{}", *name, text_at(put, "version"),
                                   answer->status == 201 ? "" : "  (unchanged)"));
    });
  });
}

int list_workflows(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    std::vector<std::vector<Cell>> rows;
    const auto listed = each_item(session, "/definitions", "", 0, [&](std::string_view item) {
      if (input.has("--json")) return context.out.line(client::one_line(item));
      const Json row = Json::parse(item);
      const auto created = core::parse_time(text_at(row, "created_at"));
      rows.push_back({{.text = shortened(text_at(row, "name"), kNameWidth)},
                      {.text = text_at(row, "version")},
                      {.text = created ? relative_time(*created, context.clock.now()) : ""},
                      {.text = shortened(text_at(row, "hash"), 12)}});
    });
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"WORKFLOW"}, {"VERSION", true}, {"APPLIED"}, {"HASH"}}, rows);
    return core::Done{};
  });
}

// What a task does, depending on its type.
std::string doing(const core::DefinitionTask& task) {
  switch (task.type) {
    case core::NodeType::activity:
    case core::NodeType::compensation: return task.activity;
    case core::NodeType::sleep: return core::format_duration(task.duration.value_or(core::Duration{0}));
    case core::NodeType::signal: return task.signal;
    case core::NodeType::workflow: return task.workflow;
  }
  return "";
}

void show_tasks(const core::Definition& definition, Context& context) {
  std::vector<std::vector<Cell>> rows;
  for (const core::DefinitionTask& task : definition.tasks) {
    std::string notes = fmt::format("{}", fmt::join(task.after, ", "));
    rows.push_back({{.text = task.id},
                    {.text = std::string{core::to_string(task.type)}},
                    {.text = doing(task)},
                    {.text = notes},
                    {.text = task.compensate.value_or("")},
                    {.text = task.for_each.empty() ? "" : "yes"}});
  }
  context.out.table({{"TASK"}, {"TYPE"}, {"DOES"}, {"AFTER"}, {"UNDONE BY"}, {"FOR EACH"}}, rows);
}

int show_workflow(Context& context, const Input& input) {
  if (input.has("--graph") && input.has("--json"))
    return context.out.problem("pawl workflow show",
                               core::invalid_field("graph", "--graph and --json exclude each other"));
  return with_session(context, input, [&](Session& session) -> core::Status {
    const std::string version =
        input.has("--version") ? fmt::format("/versions/{}", input.integer("--version")) : "";
    const auto answer = session.get(definition_path(input.text("NAME")) + version);
    if (!answer) return answer.problem();
    const auto json = json_of(*answer);
    if (!json) return json.problem();
    if (input.has("--json")) {
      context.out.line(client::one_line(answer->body));
      return core::Done{};
    }
    const auto definition =
        core::parse_definition(client::raw_member(answer->body, "definition").value_or("{}"));
    if (!definition) return definition.problem();
    if (input.has("--graph")) {
      const bool is_dot = input.text("--format") == "dot";
      std::string text = is_dot ? core::dot_text(*definition) : core::mermaid_text(*definition);
      text.pop_back();  // line() adds the newline
      context.out.line(text);
      return core::Done{};
    }
    context.out.fields({{"name", {.text = text_at(*json, "name")}},
                        {"version", {.text = text_at(*json, "version")}},
                        {"hash", {.text = text_at(*json, "hash")}},
                        {"on_failure", {.text = std::string{core::to_string(definition->on_failure)}}}});
    context.out.line("");
    show_tasks(*definition, context);
    return core::Done{};
  });
}

}  // namespace

std::vector<Command> workflow_commands() {
  return {
      {.path = "workflow apply",
       .summary = "Put a definition; the same content stays the same version",
       .arguments = {{.name = "FILE", .summary = "YAML, or JSON if it ends in .json; - for standard input"}},
       .flags = server_flags(),
       .example = "pawl workflow apply examples/order-fulfilment/workflow.yaml",
       .handler = apply},
      {.path = "workflow list",
       .summary = "List definitions, the latest version of each",
       .flags = server_flags(),
       .example = "pawl workflow list",
       .handler = list_workflows},
      {.path = "workflow show",
       .summary = "Show a definition, as a table or as a graph",
       .arguments = {{.name = "NAME", .summary = "The workflow"}},
       .flags = with_server_flags({{.name = "--version",
                                    .value = "N",
                                    .summary = "Not the latest but this one",
                                    .kind = ValueKind::integer},
                                   {.name = "--graph", .summary = "As a drawing", .kind = ValueKind::none},
                                   {.name = "--format",
                                    .value = "FORMAT",
                                    .summary = "Of the drawing",
                                    .kind = ValueKind::choice,
                                    .fallback = "mermaid",
                                    .choices = {"mermaid", "dot"}}}),
       .example = "pawl workflow show order-fulfilment --graph",
       .handler = show_workflow}};
}

}  // namespace pawl::cli
