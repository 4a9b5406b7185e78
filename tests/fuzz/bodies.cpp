// Request bodies by kind, and response bodies as clients read them.
#include <array>
#include <string>

#include "client/http_address.hpp"
#include "client/raw_json.hpp"
#include "core/base/printable.hpp"
#include "core/json/json.hpp"
#include "core/task/command.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/targets.hpp"
#include "wire/definition.hpp"
#include "wire/maintenance.hpp"
#include "wire/records.hpp"
#include "wire/run.hpp"
#include "wire/run_read.hpp"
#include "wire/schedule.hpp"
#include "wire/step.hpp"
#include "wire/task.hpp"
#include "wire/task_read.hpp"

namespace pawl::fuzz {

namespace {

using wire::ObjectReader;
using ReadBody = void (*)(ObjectReader&);

void check_command(const core::Command& command) { (void)core::check(command); }

const std::array kRequests{
    ReadBody{[](ObjectReader& in) { check_command(core::EnqueueTasks{.tasks = wire::read_task_specs(in)}); }},
    ReadBody{[](ObjectReader& in) {
      core::EnqueueTasks one;
      one.tasks.push_back(wire::read_task_spec(in));
      check_command(std::move(one));
    }},
    ReadBody{[](ObjectReader& in) { check_command(wire::read_claim(in, core::kLeaseDefault)); }},
    ReadBody{[](ObjectReader& in) {
      const wire::ReadReports read = wire::read_reports(in);
      for (const auto& report : read.reports) {
        if (report) (void)core::check(*report, 0);
      }
    }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_report(in, wire::ReportPath{}); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_task_query(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_queue_patch(in); }},
    ReadBody{[](ObjectReader& in) { (void)core::check(wire::read_registration(in)); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_task_type(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_namespace_patch(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_owner(in); }},
    ReadBody{[](ObjectReader& in) { check_command(wire::read_start_run(in)); }},
    ReadBody{[](ObjectReader& in) { check_command(wire::read_open_run(in)); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_run_query(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_bulk_runs(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_step(in, core::StepAction::begin); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_step(in, core::StepAction::fail); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_suspend(in); }},
    ReadBody{[](ObjectReader& in) { check_command(wire::read_write_steps(in)); }},
    ReadBody{[](ObjectReader& in) { check_command(wire::read_steps_of_many(in)); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_new_schedule(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_schedule_patch(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_sweep_request(in); }},
};

const std::array kAnswers{
    ReadBody{[](ObjectReader& in) { (void)wire::read_task(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_attempt(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_report_answer(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_queue(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_problem(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_definition(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_run(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_run_started(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_run_tasks(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_run_event(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_replay(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_signal(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_steps_written(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_step_result(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_step_attempt(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_step_memo(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_memo_page(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_memo(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_lock(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_idempotency(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_worker(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_notices(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_token(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_namespace(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_checkpoint(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_checkpoint_summary(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_audit(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_schedule(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_firing(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_node(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_sweep(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_verification(in); }},
    ReadBody{[](ObjectReader& in) { (void)wire::read_vitals(in); }},
};

template <typename Kinds>
void read_by_kind(std::string_view bytes, const Kinds& kinds) {
  const auto [kind, body] = kind_and_rest(bytes, kinds.size());
  if (core::json_error(body)) return;
  wire::Mistakes mistakes;
  ObjectReader in{body, "", mistakes};
  kinds.at(kind)(in);
  in.finish();
  if (mistakes.any()) demand(!mistakes.problem().errors.empty(), "a mistake has no field");
}

void read_request_body(std::string_view bytes) { read_by_kind(bytes, kRequests); }
void read_answer_body(std::string_view bytes) { read_by_kind(bytes, kAnswers); }

// How a client splits a response into its parts.
void read_raw(std::string_view bytes) {
  const auto [name, body] = halves(bytes);
  if (core::json_error(body)) return;
  const auto is_part = [whole = body](std::string_view part) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
  };
  if (const auto member = client::raw_member(body, name))
    demand(is_part(*member) && !core::json_error(*member), "a member is no JSON of the answer");
  for (const auto element : client::raw_elements(body))
    demand(is_part(element) && !core::json_error(element), "an element is no JSON of the answer");
  demand(!core::json_error(client::one_line(body)), "an answer in one line is no JSON");
}

void read_address(std::string_view bytes) {
  const auto address = client::parse_http_address(bytes);
  if (!address) return;
  const auto again = client::parse_http_address((address->tls ? "https://" : "http://") +
                                                client::host_header(*address) + address->prefix);
  demand(again.ok() && *again == *address, "an address changed");
}

void read_printable(std::string_view bytes) {
  const std::string shown = core::printable(bytes);
  demand(core::utf8_length(shown).has_value(), "a printable text is not UTF-8");
  demand(core::printable(shown) == shown, "a printable text is not printable");
  demand(shown.find('\x1b') == std::string::npos, "a printable text has an escape");
}

const std::array kBodyTargets{
    Target{
        "body",
        read_request_body,
        {R"(!{"tasks":[{"type":"t","payload":{"a":1},"queue":"q","priority":3,"key":"k","labels":{"a":"b"},"run_at":"2026-01-29T10:00:00Z","retry":{"max_attempts":3,"backoff":1.5}}]})",
         R"(0{"worker_id":"w","queues":["a"],"types":["t*"],"max":3,"lease":"30s","wait":"20s"})",
         R"(1{"worker_id":"w","reports":[{"task_id":"01a1e05c-3820-7001-9748-d023fc4d66c2","fence":1,"action":"fail","error":{"code":"c","message":"m"}}]})",
         R"(@{"fence":3,"steps":[{"action":"begin","step":"a","kind":"signal","input":{"signal":"s"}}],"suspend":{"steps":["a"]}})",
         R"(B{"name":"s","cron":"*/5 * * * *","zone":"Europe/Berlin","workflow":"w","input":{}})"}},
    Target{
        "answer",
        read_answer_body,
        {R"({"id":"01a1e05c-3820-7001-9748-d023fc4d66c2","namespace":"default","queue":"default","type":"t","status":"claimed","payload":{},"attempt":1,"labels":{"a":"b"},"available_at":"2026-01-29T10:00:00Z","lease":{"worker_id":"w","fence":1,"acquired_at":"2026-01-29T10:00:00Z","expires_at":"2026-01-29T10:00:00Z"}})",
         R"(%{"title":"t","status":409,"code":"stale_lease","detail":"d","errors":[{"field":"f","message":"m"}]})",
         R"(-{"steps":[{"step_id":"a","kind":"function","state":"completed","attempt":1,"sequence":4,"output":1}],"now":"2026-01-29T10:00:00Z"})"}},
    Target{"raw", read_raw, {"a\n{\"a\":[1,{\"b\":\"\\u00e9\"}],\"c\" : null}", "\n[1, \"x\",\r\n {}]"}},
    Target{"address", read_address, {"http://127.0.0.1:7717", "https://[::1]:443/prefix", "http://h/"}},
    Target{"printable", read_printable, {"a\u009b2J\u202eb\u200b", "\x1b[31mred\x9b\xc3", "größer 😀"}},
};

}  // namespace

std::span<const Target> body_targets() { return kBodyTargets; }

}  // namespace pawl::fuzz
