#include "core/definition/definition.hpp"

#include <array>

#include "core/base/sha256.hpp"
#include "core/json/json_value.hpp"
#include "core/json/json_writer.hpp"
#include "core/task/retry_json.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kNodeTypeCount> kNodeTypeNames{"activity", "compensation", "sleep",
                                                                      "signal", "workflow"};

void write_after(Writer& out, const std::vector<std::string>& after) {
  if (after.empty()) return;
  out.key("after").begin_array();
  for (const std::string& id : after) out.value(id);
  out.end_array();
}

void write_labels(Writer& out, const Labels& labels) {
  if (labels.empty()) return;
  out.key("labels").begin_object();
  for (const auto& [name, value] : labels) out.field(name, value);
  out.end_object();
}

void write_task(Writer& out, const DefinitionTask& task) {
  out.begin_object().field("id", task.id).field("type", to_string(task.type));
  field_if(out, "activity", task.activity);
  field_if(out, "signal", task.signal);
  field_if(out, "workflow", task.workflow);
  write_after(out, task.after);
  field_if(out, "compensate", task.compensate);
  field_if(out, "input", task.input);
  field_if(out, "for_each", task.for_each);
  field_if(out, "when", task.when);
  if (task.retry) {
    out.key("retry");
    write_retry(out, *task.retry);
  }
  field_if(out, "timeout", task.timeout);
  field_if(out, "duration", task.duration);
  if (task.continue_on_error) out.field("on_error", "continue");
  field_if(out, "queue", task.queue);
  field_if(out, "priority", task.priority);
  write_labels(out, task.labels);
  out.end_object();
}

}  // namespace

std::string_view to_string(NodeType type) { return kNodeTypeNames.at(static_cast<std::size_t>(type)); }

std::string_view to_string(OnFailure on_failure) {
  return on_failure == OnFailure::compensate ? "compensate" : "fail";
}

std::string definition_text(const Definition& definition) {
  Writer out;
  out.begin_object().field("name", definition.name);
  field_if(out, "deadline", definition.deadline);
  out.field("on_failure", to_string(definition.on_failure));
  field_if(out, "output", definition.output);
  out.key("tasks").begin_array();
  for (const DefinitionTask& task : definition.tasks) write_task(out, task);
  out.end_array().end_object();
  return out.take();
}

std::string definition_hash(const Definition& definition) {
  return sha256_hex(canonical(definition_text(definition), NumberForm::as_spelled));
}

}  // namespace pawl::core
