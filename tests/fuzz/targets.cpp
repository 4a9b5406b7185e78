#include "tests/fuzz/targets.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/ids.hpp"
#include "core/base/time.hpp"
#include "core/definition/condition.hpp"
#include "core/definition/definition.hpp"
#include "core/definition/expression.hpp"
#include "core/json/decimal.hpp"
#include "core/json/json.hpp"
#include "core/json/schema.hpp"
#include "core/records/token.hpp"
#include "core/run/run_event.hpp"
#include "core/schedule/cron.hpp"
#include "core/schedule/zone_rule.hpp"
#include "server/request_parser.hpp"
#include "tests/fuzz/demand.hpp"
#include "wire/percent.hpp"
#include "wire/problem.hpp"
#include "wire/trace.hpp"
#include "wire/yaml.hpp"

namespace pawl::fuzz {

namespace {

void read_json(std::string_view bytes) {
  const bool is_json = !core::json_error(bytes);
  demand(is_json == !core::json_fault(bytes), "a text is JSON to one and not to the other");
  const std::string quoted = core::json_quote(core::as_utf8(bytes));
  demand(!core::json_error(quoted), "a quoted text is no JSON");
}

void read_definition(std::string_view bytes) {
  const auto definition = core::parse_definition(bytes);
  if (!definition) return;
  const std::string text = core::definition_text(*definition);
  const auto again = core::parse_definition(text);
  demand(again.ok() && *again == *definition, "a definition is another one when it is read again");
}

void read_yaml(std::string_view bytes) {
  const auto json = wire::json_from_yaml(bytes);
  if (json) demand(!core::json_error(*json), "YAML became something that is no JSON");
}

void read_cron(std::string_view bytes) {
  const auto cron = core::Cron::parse(bytes);
  if (!cron) return;
  const core::LocalTime from{std::chrono::local_days{std::chrono::year{2026} / 2 / 27}};
  const auto next = cron->next(from);
  if (!next) return;
  demand(*next > from && cron->match(*next), "the next time is none, or not after the last");
  const auto back = cron->previous(*next + std::chrono::seconds{1});
  demand(back == next, "the time before the next one is another");
}

// The first byte is the version of the file; the rest is its end.
void read_zone(std::string_view bytes) {
  const auto rule = core::ZoneRule::of_file("TZif" + std::string{bytes} + "\n");
  if (!rule) return;
  core::TimePoint time{std::chrono::sys_days{std::chrono::year{2038} / 1 / 1}};
  for (int i = 0; i < 10; ++i) {
    const core::OffsetPeriod period = rule->period_at(time);
    demand(period.begin <= time && time < period.end, "a period does not contain its time");
    if (rule->period_at(period.end).offset == period.offset) return;
    demand(rule->period_at(period.end).begin == period.end,
           "a period does not begin where the last one ends");
    time = period.end;
  }
}

void read_duration(std::string_view bytes) {
  const auto duration = core::parse_duration(bytes);
  if (duration)
    demand(core::parse_duration(core::format_duration(*duration)) == duration, "a duration changed");
}

void read_time(std::string_view bytes) {
  const auto time = core::parse_time(bytes);
  if (time) demand(core::parse_time(core::format_time(*time)) == time, "a time changed");
}

void read_uuid(std::string_view bytes) {
  const auto id = core::parse_uuid(bytes);
  if (id) demand(core::parse_uuid(core::to_string(*id)) == id, "an id changed");
}

void read_reference(std::string_view bytes) {
  const auto reference = core::parse_reference(bytes);
  if (!reference) return;
  const auto again = core::parse_reference(core::to_string(*reference));
  demand(again.ok() && core::to_string(*again) == core::to_string(*reference), "a reference changed");
}

// A template and a condition, with the second half as their input.
void read_expression(std::string_view bytes) {
  const auto [text, input] = halves(bytes);
  if (core::json_error(text) || core::json_error(input)) return;
  const std::string kept{input};
  const core::Lookup lookup = [&kept](const core::Reference&) -> std::optional<std::string_view> {
    return kept;
  };
  const core::RawJson json{std::string{text}};
  const auto rendered = core::render(json, lookup);
  if (rendered) demand(!core::json_error(rendered->text), "a template gave something that is no JSON");
  (void)core::holds(json, lookup);
}

void read_schema(std::string_view bytes) {
  const auto [schema, value] = halves(bytes);
  const core::RawJson rules{std::string{schema}};
  if (core::json_error(schema) || core::json_error(value) || !core::check_schema("schema", rules)) return;
  (void)core::Schema{rules}.check("payload", core::RawJson{std::string{value}});
}

void read_event(std::string_view bytes) {
  if (core::json_error(bytes)) return;
  const auto data = core::parse_payload(bytes);
  if (!data) return;
  const auto again = core::parse_payload(core::payload_of(*data).text);
  demand(again.ok() && *again == *data, "the data of an event changed");
}

void read_number(std::string_view bytes) {
  const auto [left, right] = halves(bytes);
  const auto is_number = [](std::string_view text) {
    return !core::json_error(text) && !text.empty() &&
           (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
  };
  if (!is_number(left) || !is_number(right)) return;
  const auto order = core::compare_numbers(left, right);
  demand((core::compare_numbers(right, left) <=> 0) == (0 <=> order), "two numbers are in both orders");
  demand((order == 0) == (core::number_form(left) == core::number_form(right)), "equal numbers differ");
}

void read_query(std::string_view bytes) {
  const auto object = wire::query_object(bytes);
  if (object) demand(!core::json_error(*object), "a query became something that is no JSON");
  const auto decoded = wire::percent_decoded(bytes);
  if (decoded)
    demand(wire::percent_decoded(wire::percent_encoded(*decoded)) == decoded, "an encoded text changed");
}

void read_header(std::string_view bytes) {
  (void)core::parse_token(bytes);
  const auto [parent, state] = halves(bytes);
  const auto trace = wire::parse_trace(parent, state);
  if (!trace) return;
  demand(trace->traceparent.size() == 55 && trace->tracestate.size() <= 512, "a trace of another size");
  demand(wire::parse_trace(trace->traceparent, trace->tracestate) == trace, "a trace changed on its way");
}

// The first byte is the size of the pieces in which the rest arrives.
void read_request(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t piece = static_cast<unsigned char>(bytes.front()) % 64 + 1;
  bytes.remove_prefix(1);
  static const server::HttpLimits limits;
  server::RequestParser parser{limits};
  std::string waiting;
  while ((!bytes.empty() || !waiting.empty()) && !parser.refusal() && !parser.is_whole()) {
    const std::size_t more = std::min(piece, bytes.size());
    waiting += bytes.substr(0, more);
    bytes.remove_prefix(more);
    const std::size_t taken = parser.put(waiting);
    demand(taken <= waiting.size(), "more was taken than was there");
    waiting.erase(0, taken);
    if (taken == 0 && bytes.empty()) return;  // the parser waits for more input, but there is none
  }
  if (parser.refusal()) {
    const std::string problem = wire::problem_text(*parser.refusal(), "id");
    demand(!core::json_error(problem), "a problem is no JSON, or not UTF-8");
  } else if (parser.is_whole()) {
    const server::Incoming incoming = parser.take_incoming();
    demand(incoming.target == "*" || incoming.target.starts_with('/'), "a target is no path");
    (void)parser.take_body();
  }
}

const std::array kTargets{
    Target{"json",
           read_json,
           {R"({"a":[1,-2.5e3,"x\u00e9\ud83d\ude00",null,true,{}]})", R"("\u0000")", "1e400"}},
    Target{"definition",
           read_definition,
           {R"({"name":"o","deadline":"1h","on_failure":"fail","output":{"$ref":"#/tasks/a/output"},"tasks":[
{"id":"a","activity":"t","compensate":"u","retry":{"max_attempts":3,"backoff":1.5},"timeout":"30s","labels":{"k":"v"}},
{"id":"w","type":"signal","signal":"s","timeout":"7d","after":["a"]},{"id":"s","type":"sleep","duration":"1s"},
{"id":"f","activity":"t","for_each":{"$ref":"#/input/l"},"when":{"$eq":[{"$ref":"#/input/x"},1]},"on_error":"continue"},
{"id":"c","type":"workflow","workflow":"x","input":{"i":{"$ref":"#/tasks/a/output/id"}}},
{"id":"u","type":"compensation","activity":"t"}]})"}},
    Target{"yaml",
           read_yaml,
           {"name: a\ntasks:\n  - {id: x, activity: t, n: 0x1f, f: 1.5, b: yes, z: ~}\n  - &q {id: 'y'}\n  - "
            "*q\n",
            "a: |\n  text\nb: >-\n  folded\n? c\n: [1, 2]\n"}},
    Target{
        "cron",
        read_cron,
        {"*/5 9-17 1,15 * mon-fri", "0 0 L * *", "30 0 12 15W 2 ?", "@daily", "0 0 * * 5#2", "0 0 29 2 *"}},
    Target{"zone",
           read_zone,
           {"2\nCET-1CEST,M3.5.0,M10.5.0/3", "2\n<+1030>-10:30<+11>-11,M10.1.0,M4.1.0/-2:30",
            "3\n<+0330>-3:30", "4\nXXX3EDT4,0/0,J365/23"}},
    Target{"duration", read_duration, {"1500ms", "30s", "7d", "0.5h", "-1s"}},
    Target{"time", read_time, {"2026-01-29T10:00:00.000000Z", "2024-02-29T23:59:60+01:30"}},
    Target{"uuid", read_uuid, {"01a1e05c-3820-7001-9748-d023fc4d66c2"}},
    Target{"reference", read_reference, {"#/tasks/a~1b/output/0/x", "#/input", "#/item", "#/index"}},
    Target{"expression",
           read_expression,
           {"{\"$and\":[{\"$gt\":[{\"$ref\":\"#/input/n\"},3]},{\"$not\":{\"$exists\":{\"$ref\":\"#/"
            "item\"}}}]}\n{\"n\":4}",
            "{\"a\":{\"$ref\":\"#/input/x/0\"},\"b\":[1,{\"$ref\":\"#/input\"}]}\n{\"x\":[true]}"}},
    Target{"schema",
           read_schema,
           {"{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"array\",\"items\":{"
            "\"type\":"
            "\"integer\",\"minimum\":0,\"maximum\":9}},\"b\":{\"enum\":[1,\"x\"]}}}\n{\"a\":[1,2],\"b\":"
            "\"x\"}"}},
    Target{"event",
           read_event,
           {R"({"node_id":"a","node":[3,1],"attempt":2,"error":{"code":"c","message":"m","retryable":true}})",
            R"({"signal":"s","output":{"x":1},"until":"2026-01-01T00:00:00.000000Z","kind":"sleep"})"}},
    Target{"number", read_number, {"1.50\n15e-1", "-0\n0.0", "9007199254740993\n9007199254740992"}},
    Target{"query", read_query, {"status=pending,running&label=k:v&limit=10&order=asc", "a=%C3%A9+b&c"}},
    Target{"header",
           read_header,
           {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nfoo=1,a@b= 2 ,bar=3",
            "pawl_tok_0123456789ab_secret_1a2b3c4d"}},
    Target{
        "request",
        read_request,
        {"\x3fPOST /v1/default/tasks HTTP/1.1\r\nhost: x\r\ncontent-length: 12\r\n\r\n{\"type\":\"t\"}",
         "\x05GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
         "\x3fOPTIONS http://b:80 HTTP/1.1\r\nhost: a\r\nif-match: \xff\r\n\r\n",
         "\x11POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0\r\n\r\n"}},
};

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> targets{kTargets.begin(), kTargets.end()};
    for (const auto more : {body_targets(), stored_targets(), setting_targets()})
      targets.insert(targets.end(), more.begin(), more.end());
    return targets;
  }();
  return all;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace pawl::fuzz
