#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/source_line.hpp"
#include "core/definition/condition.hpp"
#include "core/definition/definition.hpp"
#include "core/definition/definition_check.hpp"
#include "core/json/json_reader.hpp"
#include "core/json/json_value.hpp"
#include "core/task/command.hpp"
#include "core/task/retry_json.hpp"

namespace pawl::core {

namespace {

using Types = std::uint8_t;  // a bit for each NodeType

constexpr Types types_of(std::initializer_list<NodeType> types) {
  Types bits = 0;
  for (const NodeType type : types) bits = static_cast<Types>(bits | (1U << static_cast<unsigned>(type)));
  return bits;
}

constexpr Types kAll = types_of(
    {NodeType::activity, NodeType::compensation, NodeType::sleep, NodeType::signal, NodeType::workflow});
constexpr Types kOrdered =
    types_of({NodeType::activity, NodeType::sleep, NodeType::signal, NodeType::workflow});
constexpr Types kWork = types_of({NodeType::activity, NodeType::compensation});
constexpr Types kStarted = types_of({NodeType::activity, NodeType::workflow});
constexpr Types kEnqueued = types_of({NodeType::activity, NodeType::compensation, NodeType::workflow});

// The fields that a task of each type may have and must have. A field without effect is rejected, since its
// author expects one.
struct FieldRule {
  const char* name;
  Types allowed;
  Types needed;
};
constexpr std::array kFieldRules{
    FieldRule{"activity", kWork, kWork},
    FieldRule{"signal", types_of({NodeType::signal}), types_of({NodeType::signal})},
    FieldRule{"workflow", types_of({NodeType::workflow}), types_of({NodeType::workflow})},
    FieldRule{"duration", types_of({NodeType::sleep}), types_of({NodeType::sleep})},
    FieldRule{"after", kOrdered, 0},
    FieldRule{"compensate", types_of({NodeType::activity, NodeType::signal, NodeType::workflow}), 0},
    FieldRule{"input", kStarted, 0},
    FieldRule{"for_each", kStarted, 0},
    FieldRule{"when", kOrdered, 0},
    FieldRule{"retry", kWork, 0},
    FieldRule{"timeout", static_cast<Types>(kAll & ~types_of({NodeType::sleep})), 0},
    FieldRule{"on_error", kOrdered, 0},
    FieldRule{"queue", kEnqueued, 0},
    FieldRule{"priority", kEnqueued, 0},
    FieldRule{"labels", kEnqueued, 0},
};

void note(ObjectReader& in, const Status& status) {
  if (status) return;
  for (const FieldError& error : status.problem().errors) in.mistake(error.field, error.message);
}

NodeType read_type(ObjectReader& in) {
  const std::string name = in.optional_text("type").value_or("activity");
  for (int i = 0; i < kNodeTypeCount; ++i) {
    const auto type = static_cast<NodeType>(i);
    if (to_string(type) == name) return type;
  }
  in.mistake("type", "must be activity, compensation, sleep, signal or workflow");
  return NodeType::activity;
}

void check_fields(ObjectReader& in, NodeType type) {
  const Types bit = types_of({type});
  for (const FieldRule& rule : kFieldRules) {
    const bool is_given = in.has(rule.name) && !in.is_null(rule.name);
    if (is_given && (rule.allowed & bit) == 0)
      in.mistake(rule.name, fmt::format("does not belong to a task of type {}", to_string(type)));
    if (!is_given && (rule.needed & bit) != 0)
      in.mistake(rule.name, fmt::format("is required for a task of type {}", to_string(type)));
  }
}

std::string read_name(ObjectReader& in, std::string_view field) {
  const auto name = in.optional_text(field);
  if (name) note(in, check_name(field, *name));
  return name.value_or("");
}

std::string read_needed_name(ObjectReader& in, std::string_view field) {
  if (!in.has(field) || in.is_null(field)) in.mistake(field, "is required");
  return read_name(in, field);
}

std::optional<Duration> read_duration(ObjectReader& in, std::string_view field, Duration least) {
  const auto duration = in.optional_duration(field);
  if (duration) note(in, check_duration(field, *duration, least, kDurationMax));
  return duration;
}

// Reads one of two words and returns whether it is the second. An absent field means the first.
bool read_second(ObjectReader& in, std::string_view field, std::string_view first, std::string_view second) {
  const auto word = in.optional_text(field);
  if (word && *word != first && *word != second)
    in.mistake(field, fmt::format("must be {} or {}", first, second));
  return word == second;
}

class Reader {
 public:
  Reader(std::string_view json, Mistakes& mistakes) : json_(json), mistakes_(mistakes) {}

  Definition read(const std::string& name) {
    ObjectReader in{json_, "", mistakes_};
    Definition definition;
    if (mistakes_.any()) return definition;  // not an object: further mistakes would only repeat that
    read_run(in, name, definition);
    in.objects("tasks", [&](ObjectReader& task) {
      definition.tasks.push_back(read_task(task, definition.tasks.size()));
    });
    if (in.has("tasks") && !in.is_null("tasks") && definition.tasks.empty())
      in.mistake("tasks", "must have at least one task");
    set_on_failure(in, definition);
    in.finish();
    check_whole(definition);
    return definition;
  }

 private:
  void read_run(ObjectReader& in, const std::string& name, Definition& definition) {
    const bool says_its_name = in.has("name") && !in.is_null("name");
    definition.name = says_its_name || name.empty() ? read_needed_name(in, "name") : name;
    if (!name.empty() && definition.name != name)
      in.mistake("name", fmt::format("must be the name in the path, '{}'", name));
    definition.deadline = read_duration(in, "deadline", kTimeoutMin);
    definition.output = read_template(in, "output", kOfTheRun, false);
  }

  DefinitionTask read_task(ObjectReader& in, std::size_t index) {
    DefinitionTask task;
    task.id = read_needed_name(in, "id");
    task.type = read_type(in);
    check_fields(in, task.type);
    task.activity = read_name(in, "activity");
    task.signal = read_name(in, "signal");
    task.workflow = read_name(in, "workflow");
    task.after = in.optional_texts("after").value_or(task.after);
    task.compensate = in.optional_text("compensate");
    task.timeout = read_duration(in, "timeout", kTimeoutMin);
    task.duration = read_duration(in, "duration", Duration{0});
    task.continue_on_error = read_second(in, "on_error", "fail", "continue");
    read_templates(in, index, task);
    read_options(in, task);
    return task;
  }

  void read_templates(ObjectReader& in, std::size_t index, DefinitionTask& task) {
    task.for_each = read_template(in, "for_each", index, false);
    if (!task.for_each.empty() && kind_of(task.for_each.text) != JsonKind::array &&
        !reference_text(task.for_each.text))
      in.mistake("for_each", R"(must be an array or a {"$ref": …})");
    task.input = read_template(in, "input", index, !task.for_each.empty());
    task.when = RawJson{compacted(in.json("when").text)};
    if (task.when.empty()) return;
    std::vector<PlacedReference> references;
    check_condition(task.when.text, in.path_of("when"), mistakes_, references);
    keep(std::move(references), index, false);
  }

  static void read_options(ObjectReader& in, DefinitionTask& task) {
    in.optional_object("retry", [&](ObjectReader& retry) { task.retry = read_retry_policy(retry); });
    if (task.retry) note(in, check_retry(*task.retry));
    task.queue = in.optional_text("queue");
    if (task.queue) note(in, check_name("queue", *task.queue));
    if (const auto priority = in.optional_integer("priority")) {
      if (*priority < kPriorityMin || *priority > kPriorityMax)
        in.mistake("priority", fmt::format("must be from {} to {}", kPriorityMin, kPriorityMax));
      task.priority = static_cast<std::int32_t>(*priority);
    }
    task.labels = in.optional_text_map("labels").value_or(task.labels);
    note(in, check_labels(task.labels));
  }

  RawJson read_template(ObjectReader& in, std::string_view field, std::size_t task, bool has_item) {
    RawJson value{compacted(in.json(field).text)};
    if (value.empty()) return value;
    std::vector<PlacedReference> references;
    check_template(value.text, in.path_of(field), mistakes_, references);
    keep(std::move(references), task, has_item);
    return value;
  }

  void keep(std::vector<PlacedReference> references, std::size_t task, bool has_item) {
    for (PlacedReference& placed : references) {
      const Reference::Root root = placed.reference.root;
      if (!has_item && (root == Reference::Root::item || root == Reference::Root::index))
        mistakes_.add(placed.field, "#/item and #/index exist only in the input of a task with for_each");
      references_.push_back({.task = task, .placed = std::move(placed)});
    }
  }

  static void set_on_failure(ObjectReader& in, Definition& definition) {
    bool compensates = false;
    for (const DefinitionTask& task : definition.tasks) compensates = compensates || task.compensate;
    if (in.has("on_failure") && !in.is_null("on_failure"))
      compensates = read_second(in, "on_failure", "fail", "compensate");
    definition.on_failure = compensates ? OnFailure::compensate : OnFailure::fail;
  }

  void check_whole(const Definition& definition) {
    if (definition.tasks.size() > kDefinitionTasksMax) {
      mistakes_.add("tasks", fmt::format("has {} tasks, at most {} can be", definition.tasks.size(),
                                         kDefinitionTasksMax));
      return;
    }
    check_graph(definition, references_, mistakes_);
  }

  std::string_view json_;
  Mistakes& mistakes_;
  std::vector<UsedReference> references_;
};

}  // namespace

Result<Definition> parse_definition(std::string_view json, const std::string& name) {
  if (json.size() > kDefinitionBytesMax)
    return Problem{.code = ProblemCode::payload_too_large,
                   .detail = fmt::format("the definition has {} bytes, at most {} can be", json.size(),
                                         kDefinitionBytesMax)};
  if (const auto fault = json_fault(json))
    return invalid_line(line_at(json, fault->at), std::string{fault->what});
  Mistakes mistakes;
  Definition definition = Reader{json, mistakes}.read(name);
  if (mistakes.any()) return with_places(mistakes.problem(), json);
  return definition;
}

}  // namespace pawl::core
