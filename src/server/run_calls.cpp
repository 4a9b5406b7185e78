#include "server/run_calls.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/run/run_graph.hpp"
#include "server/deny.hpp"
#include "server/reach.hpp"
#include "server/respond.hpp"
#include "server/submit.hpp"
#include "server/waiting_call.hpp"
#include "wire/parts.hpp"
#include "wire/run.hpp"
#include "wire/sequence.hpp"
#include "wire/step.hpp"
#include "wire/trace.hpp"

namespace pawl::server {

namespace {

using core::Result;
using core::RunAction;
using wire::Call;
using wire::ObjectReader;
using wire::Writer;

constexpr int kEventsDefault = core::kPageMax;  // clients mostly need the whole log

Result<core::RunRef> run_of(const Request& request) {
  const auto id = task_id_of(request, 1);
  if (!id) return id.problem();
  return core::RunRef{.ns = request.ns, .id = core::RunId{*id}};
}

// The run's sequence, which If-Match accepts.
std::string etag_of(const core::Run& run) { return fmt::format("\"{}\"", run.sequence); }

Response with_etag(Response response, const core::Run& run) {
  response.headers.emplace_back("ETag", etag_of(run));
  return response;
}

Response respond_run(const Request& request, const Result<core::Run>& run, int status = 200) {
  Response response = respond(request, run, wire::write_run, status);
  return run ? with_etag(std::move(response), *run) : response;
}

// Claims change a run's counts without an event, so the sequence does not reflect them.
bool may_be_claimed(const core::Run& run) { return run.counts.pending + run.counts.running > 0; }

// Keeps the body: a 304 declares its length without sending it.
Response unless_known(const Request& request, const Result<core::Run>& run) {
  Response response = respond_run(request, run);
  const bool is_known =
      run && !may_be_claimed(*run) &&
      (request.if_none_match == "*" || request.if_none_match.find(etag_of(*run)) != std::string::npos);
  if (is_known) response.status = 304;
  return response;
}

// --- starting ---

template <typename Begin>
void add_trace(const Request& request, Begin& begin) {
  const auto trace = wire::parse_traceparent(request.traceparent);
  if (!trace) return;
  begin.trace_id = trace->trace_id;
  begin.span_id = trace->span_id;
  begin.trace_flags = trace->flags;
  begin.tracestate = wire::parse_tracestate(request.tracestate);
}

std::optional<Response> started_response(const core::Answer& result) {
  const auto& started = std::get<core::RunStarted>(result);
  if (started.is_promised) return std::nullopt;
  Writer out;
  wire::write_run_started(out, started);
  return with_etag(json_response(started.created ? 201 : 200, out.take()), started.run);
}

// For a token that only enqueues: an existing run may belong to another caller, so its values are hidden.
std::optional<Response> started_blindly(const core::Answer& result) {
  core::RunStarted started = std::get<core::RunStarted>(result);
  if (started.created || started.is_promised) return started_response(result);
  started.run.facts.input = {};
  started.run.facts.labels.clear();
  started.run.output = {};
  started.run.error.reset();
  started.run.compensation_error.reset();
  started.run.custom_status.reset();
  return started_response(core::Answer{std::move(started)});
}

// Reads a run that is only promised by a SQL function, which also starts it.
ReadMore read_promised_run(Services& services, const Request& request) {
  const Request brief{.id = request.id,
                      .route = request.route,
                      .ns = request.ns,
                      .actor = request.actor,
                      .queues = request.queues};  // without the body
  return [&services, brief](const core::Answer& result, const Answer& found) {
    const core::RunId id = std::get<core::RunStarted>(result).run.facts.id;
    services.server.blocking(brief.owner(WorkKind::read), [&services, brief, found, id] {
      auto run = services.runs.get_run({.ns = brief.ns, .id = id});
      if (!run) return found(refuse(brief, run.problem()));
      if (const core::Status allowed = check_queue(brief, run->facts.queue); !allowed)
        return deny(services, brief, allowed.problem(), found);
      const core::Answer started{core::RunStarted{.run = std::move(*run)}};
      found(*(reads_nothing(brief) ? started_blindly : started_response)(started));
    });
  };
}

std::optional<Response> admit_start(Services& services, Submission<core::StartRun>& made) {
  const core::Status admitted = services.local.admission().admit(made.command);
  return admitted ? std::nullopt : std::optional{refuse(made.request, admitted.problem())};
}

// Holds no thread while it waits for the commit: clients that use workflows start many runs.
void start_run(Services& services, Request request, Answer answer) {
  auto asked = read_body(request, wire::read_start_run);
  if (!asked) return answer(refuse(request, asked.problem()));
  if (asked->queue) {
    if (const core::Status allowed = check_queue(request, *asked->queue); !allowed)
      return deny(services, request, allowed.problem(), std::move(answer));
  }
  asked->ns = request.ns;
  asked->bound_to = request.queues;
  asked->workflow = request.parameters.at(1);
  asked->by = request.actor;
  add_trace(request, *asked);
  ReadMore read_more = read_promised_run(services, request);
  const bool hides = reads_nothing(request);
  submit<core::StartRun>(services, {.request = std::move(request),
                                    .command = std::move(*asked),
                                    .answer = std::move(answer),
                                    .admit = admit_start,
                                    .respond = hides ? started_blindly : started_response,
                                    .read_more = std::move(read_more)});
}

Response open_run(Services& services, const Request& request) {
  auto asked = read_body(request, wire::read_open_run);
  if (!asked) return refuse(request, asked.problem());
  asked->ns = request.ns;
  asked->by = request.actor;
  add_trace(request, *asked);
  const auto opened = services.runs.open_run(*asked);
  Response response =
      respond(request, opened, wire::write_run_started, opened && opened->created ? 201 : 200);
  return opened ? with_etag(std::move(response), opened->run) : response;
}

// --- reading ---

struct Included {
  bool tasks = false;
  bool steps = false;
};
Included read_included(ObjectReader& in) {
  Included included;
  for (const std::string& name : wire::read_comma_list(in, "include")) {
    if (name == "tasks") {
      included.tasks = true;
    } else if (name == "steps") {
      included.steps = true;
    } else {
      in.mistake("include", fmt::format("'{}' is neither tasks nor steps", name));
    }
  }
  return included;
}

Response get_run(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  const auto included = read_query(request, read_included);
  if (!included) return refuse(request, included.problem());
  if (!included->tasks && !included->steps) return unless_known(request, services.runs.get_run(*run));
  std::vector<core::StepAttempt> steps;
  if (included->steps) {
    auto found = services.runs.list_steps(*run);
    if (!found) return refuse(request, found.problem());
    steps = std::move(*found);
  }
  return respond(request, services.runs.view_run(*run), [&](Writer& out, const core::RunView& view) {
    out.begin_object();
    wire::write_run_fields(out, view.run);
    if (included->tasks) {
      out.key("tasks");
      wire::write_run_tasks(out, view);
    }
    if (included->steps) {
      out.key("steps").begin_array();
      for (const core::StepAttempt& step : steps) wire::write_step_attempt(out, step);
      out.end_array();
    }
    out.end_object();
  });
}

Response list_runs(Services& services, const Request& request) {
  auto asked = read_query(request, [](ObjectReader& in) {
    core::ListRuns runs{.query = wire::read_run_query(in)};
    const std::string order = in.optional_text("order").value_or("desc");
    if (order != "asc" && order != "desc") in.mistake("order", "must be asc or desc");
    runs.newest_first = order != "asc";
    runs.limit = read_number(in, "limit").value_or(runs.limit);
    runs.cursor = in.optional_text("cursor").value_or("");
    return runs;
  });
  if (!asked) return refuse(request, asked.problem());
  asked->query.ns = request.ns;
  return respond_page(request, services.runs.list_runs(*asked), wire::write_run);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of Handler::Run
void await_run(Services& services, Request request, Answer answer) {
  const auto run = run_of(request);
  if (!run) return answer(refuse(request, run.problem()));
  const auto wait = read_query(
      request, [](ObjectReader& in) { return in.optional_duration("wait").value_or(core::Duration{0}); });
  if (!wait) return answer(refuse(request, wait.problem()));
  const core::Status valid = core::check_duration("wait", *wait, core::Duration{0}, core::kClaimWaitMax);
  if (!valid) return answer(refuse(request, valid.problem()));
  auto answered = with_place(services, request, *wait, answer);
  if (!answered) return answer(refuse(request, answered.problem()));
  const Request brief{.id = request.id};  // do not keep the whole request during the wait
  services.server.run_watch.await(
      *run, *wait, [brief, answered = std::move(*answered)](const Result<core::Run>& found) {
        answered(respond_run(brief, found, found && core::is_closed(found->state) ? 200 : 202));
      });
}

Response graph_of_run(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  const auto format = read_query(request, [](ObjectReader& in) {
    std::string name = in.optional_text("format").value_or("json");
    if (name != "json" && name != "mermaid" && name != "dot")
      in.mistake("format", "must be json, mermaid or dot");
    return name;
  });
  if (!format) return refuse(request, format.problem());
  const auto view = services.runs.view_run(*run);
  if (!view) return refuse(request, view.problem());
  if (*format == "json") return respond(request, Result{core::graph_of(*view)}, wire::write_run_graph);
  const bool is_dot = *format == "dot";
  return {.body = is_dot ? core::run_dot_text(*view) : core::run_mermaid_text(*view),
          .content_type = is_dot ? "text/vnd.graphviz; charset=utf-8" : "text/plain; charset=utf-8"};
}

Response replay_run(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  const auto up_to = read_query(request, [](ObjectReader& in) -> std::optional<std::int64_t> {
    const auto text = in.optional_text("up_to");
    if (!text) return std::nullopt;
    const auto number = wire::parse_sequence("up_to", *text);
    if (!number) in.mistake("up_to", "must be a sequence");
    return number ? std::optional{*number} : std::nullopt;
  });
  if (!up_to) return refuse(request, up_to.problem());
  return respond(request, services.runs.replay_run(*run, *up_to), wire::write_replay);
}

// --- events ---

Result<core::ListRunEvents> events_asked(const Request& request) {
  const auto run = run_of(request);
  if (!run) return run.problem();
  return read_query(request, [&](ObjectReader& in) {
    core::ListRunEvents list{.run = *run, .limit = read_number(in, "limit").value_or(kEventsDefault)};
    for (const auto* name : {"after", "cursor"}) {  // a cursor is the last sequence of the previous page
      const auto text = in.optional_text(name);
      if (!text) continue;
      const auto number = wire::parse_sequence(name, *text);
      if (!number) in.mistake(name, "must be a sequence");
      if (number) list.after = std::max(list.after, *number);
    }
    return list;
  });
}

Response list_events(Services& services, const Request& request) {
  const auto asked = events_asked(request);
  if (!asked) return refuse(request, asked.problem());
  const auto events = services.runs.list_run_events(*asked);
  if (!events) return refuse(request, events.problem());
  core::Page<core::RunEvent> page{.items = *events};
  if (page.items.size() == static_cast<std::size_t>(asked->limit)) {
    const auto run = services.runs.get_run(asked->run);
    if (!run) return refuse(request, run.problem());
    const std::int64_t last = page.items.back().sequence;
    if (last < run->sequence) page.next_cursor = std::to_string(last);
  }
  return respond_page(request, Result{page}, [&](Writer& out, const core::RunEvent& event) {
    wire::write_run_event(out, asked->run.id, event);
  });
}

// A reconnecting browser resumes with Last-Event-ID. If the run has ended and no events are missing, the 204
// response stops it from reconnecting.
Response follow_events(Services& services, const Request& request) {
  auto asked = events_asked(request);
  if (!asked) return refuse(request, asked.problem());
  if (!request.last_event_id.empty()) {
    const auto last = wire::parse_sequence("Last-Event-ID", request.last_event_id);
    if (!last) return refuse(request, last.problem());
    asked->after = *last;
  }
  const auto run = services.runs.get_run(asked->run);
  if (!run) return refuse(request, run.problem());
  if (core::is_closed(run->state) && asked->after >= run->sequence) return {.status = 204};
  auto stream = services.server.streams.open(request);
  if (!stream) return refuse(request, stream.problem());
  services.server.run_watch.follow(request, {.run = asked->run, .after = asked->after}, *stream);
  return event_response(std::move(*stream));
}

Response events(Services& services, const Request& request) {
  return request.wants_events ? follow_events(services, request) : list_events(services, request);
}

// --- actions ---

template <RunAction kAction>
Response act(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  auto asked_for = read_body(request, [&](ObjectReader& in) {
    core::RunActionAsked asked{.action = kAction, .reason = in.optional_text("reason")};
    if (kAction == RunAction::skip) asked.step = in.optional_text("step");
    return asked;
  });
  if (!asked_for) return refuse(request, asked_for.problem());
  const auto expected = wire::parse_if_match(request.if_match);
  if (!expected) return refuse(request, expected.problem());
  asked_for->expected_sequence = *expected;
  const core::ActOnRun asked{.run = *run, .asked = std::move(*asked_for), .by = request.actor};
  return respond_run(request, services.runs.act_on_run(asked));
}

Response rewind_run(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  const auto to = read_body(request, [](ObjectReader& in) { return in.text("to"); });
  if (!to) return refuse(request, to.problem());
  const auto expected = wire::parse_if_match(request.if_match);
  if (!expected) return refuse(request, expected.problem());
  const auto fork =
      services.runs.rewind_run({.run = *run, .to = *to, .expected_sequence = *expected, .by = request.actor});
  const auto write = [](Writer& out, const core::Run& one) {
    out.begin_object().key("run");
    wire::write_run(out, one);
    out.end_object();
  };
  Response response = respond(request, fork, write, 201);
  return fork ? with_etag(std::move(response), *fork) : response;
}

Response signal_run(Services& services, const Request& request) {
  const auto run = run_of(request);
  if (!run) return refuse(request, run.problem());
  auto sent = read_body(request, wire::read_signal);
  if (!sent) return refuse(request, sent.problem());
  const auto expected = wire::parse_if_match(request.if_match);
  if (!expected) return refuse(request, expected.problem());
  sent->name = request.parameters.at(2);
  sent->expected_sequence = *expected;
  const auto signalled =
      services.runs.signal_run({.run = *run, .signal = std::move(*sent), .by = request.actor});
  return respond_run(request, signalled);
}

template <RunAction kAction>
Response act_on_many(Services& services, const Request& request) {
  auto bulk = read_body(request, wire::read_bulk_runs);
  if (!bulk) return refuse(request, bulk.problem());
  bulk->query.ns = request.ns;
  bulk->action = kAction;
  bulk->by = request.actor;
  const auto write = [](Writer& out, const core::BulkResult& result) {
    out.begin_object().field("matched", result.matched).field("changed", result.changed).end_object();
  };
  return respond(request, services.runs.act_on_runs(*bulk), write);
}

}  // namespace

std::span<const Handler> run_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::start_run, .run = start_run, .runs_on = RunsOn::network},
      Handler{.call = Call::open_run, .run = replying<open_run>},
      Handler{.call = Call::retry_runs, .run = replying<act_on_many<RunAction::retry>>, .is_bulk = true},
      Handler{.call = Call::cancel_runs, .run = replying<act_on_many<RunAction::cancel>>, .is_bulk = true},
      Handler{.call = Call::list_runs, .run = replying<list_runs>},
      Handler{.call = Call::get_run, .run = replying<get_run>},
      Handler{.call = Call::await_run, .run = await_run, .waits = true},
      Handler{.call = Call::pause_run, .run = replying<act<RunAction::pause>>},
      Handler{.call = Call::resume_run, .run = replying<act<RunAction::resume>>},
      Handler{.call = Call::cancel_run, .run = replying<act<RunAction::cancel>>},
      Handler{.call = Call::retry_run, .run = replying<act<RunAction::retry>>},
      Handler{.call = Call::compensate_run, .run = replying<act<RunAction::compensate>>},
      Handler{.call = Call::terminate_run, .run = replying<act<RunAction::terminate>>},
      Handler{.call = Call::skip_compensation, .run = replying<act<RunAction::skip>>},
      Handler{.call = Call::complete_run, .run = replying<act<RunAction::complete>>},
      Handler{.call = Call::rewind_run, .run = replying<rewind_run>},
      Handler{.call = Call::signal_run, .run = replying<signal_run>},
      Handler{.call = Call::list_run_events, .run = replying<events>},
      Handler{.call = Call::replay_run, .run = replying<replay_run>},
      Handler{.call = Call::graph_of_run, .run = replying<graph_of_run>},
  };
  return kHandlers;
}

}  // namespace pawl::server
