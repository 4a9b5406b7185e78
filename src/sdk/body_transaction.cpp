// Transactional steps: the user's rows and the step's result are one commit.

#include <utility>

#include "core/task/command.hpp"
#include "pawl/error.hpp"
#include "sdk/body.hpp"
#include "sdk/sql.hpp"

namespace pawl::detail {

std::string Body::execute_transaction(Branch& branch, const Issued& issued, const StepPolicy& policy,
                                      const SqlCall& call) {
  const bool is_known = issued.memo && core::has_ended(issued.memo->state);
  if (const auto why = services_.connection.why_no_sql(); why && !is_known)
    throw Failure{"no_database",
                  "the transaction '" + issued.id + "' needs a client of sqlite: or postgres: " + *why,
                  false};
  return repeat(branch, issued, [&](int number) {
    return transact(branch, {.issued = issued, .policy = policy, .call = call}, number);
  });
}

// Runs the step's function in the transaction. Returns the step's write, to be committed with the function's
// rows; nothing if the function failed.
std::optional<core::WriteSteps> Body::work_out(const SqlAttempt& attempt, store::Sql& sql,
                                               Outcome& outcome) const {
  const Issued& issued = attempt.step.issued;
  const core::MonotonicTime began = services_.connection.clock().monotonic();
  const OpenTransaction open;
  const StepState step_state = state_of(issued, attempt.number, attempt.stop);
  const StepHere here{step_state};
  outcome = outcome_of([&] {
    SqlState state{sql};
    Sql for_user{state};
    Step step{step_state};
    std::string output = attempt.step.call(step, for_user);
    if (sql.has_failed()) throw Failure{"sql", "a statement failed, and the function went on"};
    return output;
  });
  const auto& timeout = attempt.step.policy.timeout;
  // Checked before the commit, because a late result must not be committed.
  if (timeout && services_.connection.clock().monotonic() >= began + *timeout) {
    outcome = failed_with(timeout_error(*timeout));
    return std::nullopt;
  }
  if (open.has_refused()) outcome.error.retryable = false;  // the next attempt would make the same call
  if (outcome.kind != Outcome::Kind::completed) return std::nullopt;
  core::WriteSteps command = command_of({{.step_id = issued.id, .kind = issued.kind, .must_be_new = true}});
  command.steps.front().output = {outcome.output};
  if (issued.kind == core::StepKind::compensation && failure_) command.failure = error_to_keep(*failure_);
  const core::Status valid = core::check(core::Command{command});
  if (valid) return command;
  outcome = failed_with({.code = "result_refused", .message = valid.problem().detail, .retryable = false});
  return std::nullopt;
}

core::StepMemo Body::transact(Branch& branch, const SqlStep& step, int number) {
  core::Duration wait = std::chrono::milliseconds{20};
  for (;;) {
    Outcome outcome;
    const auto written = services_.connection.transact([&](store::Sql& sql) {
      return work_out({.step = step, .number = number, .stop = stop_token_of(branch)}, sql, outcome);
    });
    // An earlier try was committed and its reply was lost: read the step's state.
    const bool is_done = !written && written.problem().code == core::ProblemCode::already_completed;
    if (!written && !is_done && may_try_again(branch, written.problem(), wait)) continue;
    if (is_done) return as_it_stands(branch, step.issued);
    if (!written)
      outcome =
          failed_with({.code = "result_refused", .message = written.problem().detail, .retryable = false});
    if (written && *written) {
      note_answer(**written);
      memo_.keep((*written)->steps.front().now);
      return (*written)->steps.front().now;
    }
    if (outcome.kind == Outcome::Kind::unwound) throw Unwind{};
    // The failed attempt left nothing in the database.
    return write_outcome(branch, step.issued, step.policy.retry, {.outcome = outcome, .number = number});
  }
}

core::StepMemo Body::as_it_stands(Branch& branch, const Issued& issued) {
  const auto seen = write(branch, command_of({issued.begin}));
  if (!seen) throw Failure{"invalid_state", seen.problem().detail, false};
  memo_.keep(seen->steps.front().now);
  return seen->steps.front().now;
}

}  // namespace pawl::detail
