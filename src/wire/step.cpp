#include "wire/step.hpp"

#include <fmt/format.h>

#include "core/task/retry_json.hpp"
#include "wire/parts.hpp"
#include "wire/problem.hpp"
#include "wire/task.hpp"
#include "wire/task_read.hpp"

namespace pawl::wire {

namespace {

constexpr std::array<std::string_view, 4> kActionNames{"begin", "complete", "fail", "cancel"};

core::StepKind read_kind(ObjectReader& in) {
  const auto name = in.optional_text("kind");
  if (!name) return core::StepKind::function;
  const auto kind = core::step_kind_from(*name);
  if (!kind) in.mistake("kind", "must be function, sleep, signal, child, task, compensation or marker");
  return kind.value_or(core::StepKind::function);
}

core::ChildSpec read_child(ObjectReader& in) {
  core::ChildSpec child{.workflow = in.text("workflow"),
                        .input = in.json("input"),
                        .run_key = in.optional_text("run_key"),
                        .queue = in.optional_text("queue"),
                        .deadline = in.optional_duration("deadline"),
                        .labels = in.optional_text_map("labels").value_or(core::Labels{})};
  if (in.has("priority") && !in.is_null("priority")) narrow_into(in, "priority", child.priority.emplace());
  return child;
}

void write_child(Writer& out, const core::ChildSpec& child) {
  out.begin_object().field("workflow", child.workflow);
  if (!child.input.empty()) out.field("input", child.input);
  field_if(out, "run_key", child.run_key);
  field_if(out, "queue", child.queue);
  field_if(out, "priority", child.priority);
  field_if(out, "deadline", child.deadline);
  out.key("labels");
  write_labels(out, child.labels);
  out.end_object();
}

// The input contains what a step waits for.
void read_input(ObjectReader& in, core::StepWrite& write) {
  switch (write.kind) {
    case core::StepKind::sleep:
      return in.optional_object("input", [&](ObjectReader& input) {
        write.wait = input.optional_duration("duration");
        write.until = input.optional_time("until");
      });
    case core::StepKind::signal:
      return in.optional_object("input", [&](ObjectReader& input) {
        write.signal = input.text("signal");
        write.wait = input.optional_duration("timeout");
        write.until = input.optional_time("until");
      });
    case core::StepKind::child:
      return in.optional_object("input", [&](ObjectReader& input) { write.child = read_child(input); });
    case core::StepKind::task:
      return in.optional_object("input", [&](ObjectReader& input) { write.task = read_task_spec(input); });
    default: write.input = in.json("input");
  }
}

void write_input(Writer& out, const core::StepWrite& write) {
  const bool is_signal = write.kind == core::StepKind::signal;
  if (is_signal || write.kind == core::StepKind::sleep) {
    out.key("input").begin_object();
    if (is_signal) out.field("signal", write.signal);
    field_if(out, is_signal ? "timeout" : "duration", write.wait);
    field_if(out, "until", write.until);
    out.end_object();
  } else if (write.child) {
    out.key("input");
    write_child(out, *write.child);
  } else if (write.task) {
    out.key("input");
    write_task_spec(out, *write.task);
  } else if (!write.input.empty()) {
    out.field("input", write.input);
  }
}

void read_one(ObjectReader& in, core::StepWrite& write) {
  write.is_kind_given = write.action == core::StepAction::begin || in.has("kind");
  write.kind = read_kind(in);
  if (write.action == core::StepAction::begin) read_input(in, write);
  in.optional_object("retry", [&](ObjectReader& retry) {
    write.retry = core::RetryPolicy{.max_attempts = 5};
    bool is_given = false;
    core::read_retry(retry, *write.retry, is_given);
  });
  if (write.action == core::StepAction::complete) write.output = in.json("output");
  if (write.action == core::StepAction::fail) {
    in.optional_object("error", [&](ObjectReader& error) { write.error = read_given_error(error); });
    write.retry_after = in.optional_duration("retry_after");
  }
  const bool names_attempt =
      write.action == core::StepAction::begin || write.action == core::StepAction::fail;
  if (names_attempt) core::narrow_into(in, "attempt", write.attempt);
  write.took = in.optional_duration("took").value_or(core::Duration{0});
}

void write_one(Writer& out, const core::StepWrite& write) {
  out.begin_object()
      .field("action", kActionNames.at(static_cast<std::size_t>(write.action)))
      .field("step_id", write.step_id);
  if (write.is_kind_given) out.field("kind", core::to_string(write.kind));
  if (write.action == core::StepAction::begin) write_input(out, write);
  if (write.retry) {
    out.key("retry");
    core::write_retry(out, *write.retry);
  }
  if (write.action == core::StepAction::complete && !write.output.empty()) out.field("output", write.output);
  if (write.action == core::StepAction::fail) {
    out.key("error");
    write_error(out, write.error);
    field_if(out, "retry_after", write.retry_after);
  }
  if (write.attempt != 0) out.field("attempt", write.attempt);
  if (write.took > core::Duration{0}) out.field("took", write.took);
  out.end_object();
}

core::SuspendBody read_wait(ObjectReader& in) {
  core::SuspendBody suspend{.until = in.optional_time("until"),
                            .steps = in.optional_texts("steps").value_or(std::vector<std::string>{}),
                            .wants_all = in.optional_boolean("all").value_or(false),
                            .signals = in.optional_texts("signals").value_or(std::vector<std::string>{}),
                            .may_undo = in.optional_boolean("may_undo").value_or(false)};
  for (const std::string& id : in.optional_texts("children").value_or(std::vector<std::string>{})) {
    const auto child = core::parse_uuid(id);
    if (!child) in.mistake("children", fmt::format("'{}' is no id of a run", id));
    suspend.children.emplace_back(child.value_or(core::Uuid{}));
  }
  return suspend;
}

void write_wait(Writer& out, const core::SuspendBody& suspend) {
  const auto texts = [&](std::string_view name, const std::vector<std::string>& list) {
    if (list.empty()) return;
    out.key(name).begin_array();
    for (const std::string& one : list) out.value(one);
    out.end_array();
  };
  std::vector<std::string> children;
  for (const core::RunId& child : suspend.children) children.push_back(to_string(child));
  out.begin_object();
  field_if(out, "until", suspend.until);
  texts("steps", suspend.steps);
  if (suspend.wants_all) out.field("all", true);
  texts("signals", suspend.signals);
  texts("children", children);
  if (suspend.always) out.field("always", true);
  if (suspend.may_undo) out.field("may_undo", true);
  out.end_object();
}

void write_memo_step(Writer& out, const core::StepMemo& step) {
  out.field("step_id", step.step_id)
      .field("kind", core::to_string(step.kind))
      .field("status", core::to_string(step.state))
      .field("attempt", step.attempt)
      .field("sequence", step.sequence)
      .field("output", step.output)
      .key("error");
  write_error(out, step.error);
  out.field("due_at", step.due_at).field("finished_at", step.finished_at);
  id_field(out, "child_run_id", step.child_id);
}

template <typename Enum>
Enum known(ObjectReader& in, std::string_view name, std::optional<Enum> (*from)(std::string_view)) {
  const auto value = from(in.text(name));
  if (!value) in.mistake(name, "has a value that this client does not support");
  return value.value_or(Enum{});
}

core::RawJson json_or_none(ObjectReader& in, std::string_view name) {
  return in.is_null(name) ? core::RawJson{} : in.json(name);
}

core::StepMemo read_memo_step(ObjectReader& in) {
  return {.step_id = in.text("step_id"),
          .kind = known<core::StepKind>(in, "kind", core::step_kind_from),
          .state = known<core::NodeState>(in, "status", core::node_state_from),
          .attempt = read_int(in, "attempt"),
          .sequence = in.optional_integer("sequence").value_or(0),
          .output = json_or_none(in, "output"),
          .error = read_error(in),
          .due_at = in.optional_time("due_at"),
          .finished_at = in.optional_time("finished_at"),
          .child_id = optional_id<core::RunTag>(in, "child_run_id")};
}

std::optional<core::StopReason> read_stop(ObjectReader& in) {
  const auto name = in.optional_text("stop");
  return name ? core::stop_reason_from(*name) : std::nullopt;
}

void write_stop(Writer& out, const std::optional<core::StopReason>& stop) {
  out.field("stop", stop ? std::optional{std::string{core::to_string(*stop)}} : std::nullopt);
}

}  // namespace

std::span<const std::string_view> step_action_names() { return kActionNames; }

OneStep read_step(ObjectReader& in, core::StepAction action) {
  OneStep step{.fence = in.integer("fence"), .write = {.action = action}};
  read_one(in, step.write);
  return step;
}

AskedSuspend read_suspend(ObjectReader& in) {
  AskedSuspend asked{
      .fence = in.integer("fence"), .suspend = read_wait(in), .undos = in.optional_texts("undos")};
  asked.suspend.always = true;
  return asked;
}

core::WriteSteps read_write_steps(ObjectReader& in) {
  core::WriteSteps command{.body = optional_id<core::TaskTag>(in, "task_id").value_or(core::TaskId{}),
                           .fence = in.integer("fence"),
                           .custom_status = in.optional_text("custom_status"),
                           .park = in.optional_text("park"),
                           .undos = in.optional_texts("undos")};
  in.optional_object("failure", [&](ObjectReader& error) { command.failure = read_given_error(error); });
  if (in.has("steps")) {
    in.objects("steps", [&](ObjectReader& one) {
      core::StepWrite write;
      const std::string action = one.text("action");
      const auto* place = std::find(kActionNames.begin(), kActionNames.end(), action);
      if (place == kActionNames.end())
        one.mistake("action", "must be begin, complete, fail or cancel");
      else
        write.action = static_cast<core::StepAction>(place - kActionNames.begin());
      write.step_id = one.text("step_id");
      read_one(one, write);
      command.steps.push_back(std::move(write));
    });
  }
  in.optional_object("suspend", [&](ObjectReader& wait) {
    command.suspend = read_wait(wait);
    command.suspend->always = wait.optional_boolean("always").value_or(false);
  });
  in.optional_object("await", [&](ObjectReader& await) {
    command.await =
        core::AwaitSteps{.at_most = await.optional_duration("at_most").value_or(core::Duration{0}),
                         .wants_all = await.optional_boolean("all").value_or(false)};
  });
  return command;
}

core::WriteStepsOfMany read_steps_of_many(ObjectReader& in) {
  core::WriteStepsOfMany command;
  in.objects("writes", [&](ObjectReader& one) {
    const auto run = optional_id<core::RunTag>(one, "run_id");
    if (!run) one.mistake("run_id", "is missing");
    core::WriteSteps write = read_write_steps(one);
    write.run_id = run.value_or(core::RunId{});
    command.writes.push_back(std::move(write));
  });
  return command;
}

namespace {

void write_fields(Writer& out, const core::WriteSteps& command) {
  if (command.body != core::TaskId{}) out.field("task_id", to_string(command.body));
  out.field("fence", command.fence).key("steps").begin_array();
  for (const core::StepWrite& step : command.steps) write_one(out, step);
  out.end_array();
  field_if(out, "custom_status", command.custom_status);
  field_if(out, "park", command.park);
  if (command.undos) {
    out.key("undos").begin_array();
    for (const std::string& name : *command.undos) out.value(name);
    out.end_array();
  }
  if (command.failure) {
    out.key("failure");
    write_error(out, *command.failure);
  }
  if (command.suspend) {
    out.key("suspend");
    write_wait(out, *command.suspend);
  }
  if (command.await) {
    out.key("await").begin_object().field("at_most", command.await->at_most);
    if (command.await->wants_all) out.field("all", true);
    out.end_object();
  }
}

}  // namespace

void write_write_steps(Writer& out, const core::WriteSteps& command) {
  out.begin_object();
  write_fields(out, command);
  out.end_object();
}

void write_steps_of_many(Writer& out, const core::WriteStepsOfMany& command) {
  out.begin_object().key("writes").begin_array();
  for (const core::WriteSteps& one : command.writes) {
    out.begin_object().field("run_id", to_string(one.run_id));
    write_fields(out, one);
    out.end_object();
  }
  out.end_array().end_object();
}

namespace {

void write_answer_fields(Writer& out, const core::StepAnswer& answer) {
  out.field("should_execute", answer.should_execute)
      .field("scheduled_retry", answer.scheduled_retry)
      .field("retry_at", answer.scheduled_retry ? answer.now.due_at : std::nullopt);
  write_memo_step(out, answer.now);
}

void write_written(Writer& out, const core::StepsWritten& written) {
  out.key("steps").begin_array();
  for (const core::StepAnswer& answer : written.steps) {
    out.begin_object();
    write_answer_fields(out, answer);
    out.end_object();
  }
  out.end_array().field("suspended", written.is_suspended).field("paused", written.is_paused);
  write_stop(out, written.stop);
  out.field("now", written.now);
}

}  // namespace

void write_one_step_written(Writer& out, const core::RunId& run, const core::StepsWritten& written) {
  out.begin_object();
  write_answer_fields(out, written.steps.front());
  out.field("operation_key", core::operation_key(run, written.steps.front().step_id))
      .field("paused", written.is_paused)
      .end_object();
}

void write_steps_written(Writer& out, const core::StepsWritten& written) {
  out.begin_object();
  write_written(out, written);
  out.end_object();
}

void write_step_result(Writer& out, const core::RunId& run, const core::Result<core::StepsWritten>& written,
                       std::string_view request_id) {
  out.begin_object().field("run_id", to_string(run)).field("ok", written.ok());
  if (written) {
    write_written(out, *written);
  } else {
    out.key("error");
    write_problem(out, written.problem(), request_id);
  }
  out.end_object();
}

core::Result<core::StepsWritten> read_step_result(ObjectReader& in) {
  if (in.optional_boolean("ok").value_or(false)) return read_steps_written(in);
  core::Problem problem;
  in.optional_object_leniently("error", [&](ObjectReader& error) { problem = read_problem(error); });
  return problem;
}

core::StepsWritten read_steps_written(ObjectReader& in) {
  core::StepsWritten written{.is_suspended = in.optional_boolean("suspended").value_or(false),
                             .is_paused = in.optional_boolean("paused").value_or(false),
                             .stop = read_stop(in),
                             .now = read_time(in, "now")};
  in.objects_leniently("steps", [&](ObjectReader& one) {
    core::StepAnswer answer{.should_execute = one.optional_boolean("should_execute").value_or(false),
                            .scheduled_retry = one.optional_boolean("scheduled_retry").value_or(false),
                            .now = read_memo_step(one)};
    answer.step_id = answer.now.step_id;
    written.steps.push_back(std::move(answer));
  });
  return written;
}

void write_step_attempt(Writer& out, const core::StepAttempt& attempt) {
  out.begin_object()
      .field("step_id", attempt.step_id)
      .field("attempt", attempt.attempt)
      .field("is_latest", attempt.is_latest)
      .field("kind", core::to_string(attempt.kind))
      .field("status", core::to_string(attempt.state))
      .field("input", attempt.input)
      .field("output", attempt.output)
      .key("error");
  write_error(out, attempt.error);
  out.field("retry_at", attempt.retry_at);
  id_field(out, "child_run_id", attempt.child_id);
  out.field("started_at", attempt.started_at).field("finished_at", attempt.finished_at).end_object();
}

core::StepAttempt read_step_attempt(ObjectReader& in) {
  return {.step_id = in.text("step_id"),
          .kind = known<core::StepKind>(in, "kind", core::step_kind_from),
          .attempt = read_int(in, "attempt"),
          .is_latest = in.optional_boolean("is_latest").value_or(false),
          .state = known<core::NodeState>(in, "status", core::node_state_from),
          .input = json_or_none(in, "input"),
          .output = json_or_none(in, "output"),
          .error = read_error(in),
          .retry_at = in.optional_time("retry_at"),
          .child_id = optional_id<core::RunTag>(in, "child_run_id"),
          .started_at = in.optional_time("started_at"),
          .finished_at = in.optional_time("finished_at")};
}

void write_step_memo(Writer& out, const core::StepMemo& step) {
  out.begin_object();
  write_memo_step(out, step);
  out.end_object();
}

core::StepMemo read_step_memo(ObjectReader& in) { return read_memo_step(in); }

void write_memo_page(Writer& out, const core::StepMemoPage& page) {
  out.begin_object().key("items").begin_array();
  for (const core::StepMemo& step : page.steps) write_step_memo(out, step);
  out.end_array()
      .field("next_cursor", page.next ? std::optional{core::cursor_of(*page.next)} : std::nullopt)
      .end_object();
}

core::StepMemoPage read_memo_page(ObjectReader& in) {
  core::StepMemoPage page;
  in.objects_leniently("items", [&](ObjectReader& one) { page.steps.push_back(read_memo_step(one)); });
  if (const auto next = in.optional_text("next_cursor")) page.next = core::key_from_cursor(*next);
  return page;
}

void write_memo_fields(Writer& out, const core::BodyMemo& memo) {
  out.key("steps").begin_array();
  for (const core::StepMemo& step : memo.steps) write_step_memo(out, step);
  out.end_array();
  if (memo.next) out.field("steps_cursor", core::cursor_of(*memo.next));
  out.key("signals").begin_array();
  for (const core::Signal& signal : memo.signals) {
    out.begin_object()
        .field("name", signal.name)
        .field("sequence", signal.sequence)
        .field("payload", signal.payload)
        .end_object();
  }
  out.end_array();
  write_stop(out, memo.stop);
}

std::shared_ptr<const core::BodyMemo> read_memo(ObjectReader& in) {
  if (!in.has("steps")) return nullptr;
  auto memo = std::make_shared<core::BodyMemo>();
  in.objects_leniently("steps", [&](ObjectReader& one) { memo->steps.push_back(read_memo_step(one)); });
  if (const auto next = in.optional_text("steps_cursor")) memo->next = core::key_from_cursor(*next);
  in.objects_leniently("signals", [&](ObjectReader& one) {
    memo->signals.push_back({.sequence = one.optional_integer("sequence").value_or(0),
                             .name = one.text("name"),
                             .payload = json_or_none(one, "payload")});
  });
  memo->stop = read_stop(in);
  return memo;
}

}  // namespace pawl::wire
