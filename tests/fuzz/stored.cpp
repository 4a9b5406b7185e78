// Data that a store reads back: its codecs, and the rows that SQL functions write.
#include <array>
#include <string>

#include "core/json/json.hpp"
#include "core/records/inbox.hpp"
#include "store/codec.hpp"
#include "store/run_codec.hpp"
#include "store/store.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/targets.hpp"

namespace pawl::fuzz {

namespace {

bool is_unreadable(const core::TaskFacts& facts) {
  return facts.labels.contains(std::string{core::kUnreadableLabel});
}

void read_retry(std::string_view text) {
  core::TaskFacts facts;
  store::decode_retry(text, facts);
  const auto encoded = store::encode_retry(facts);
  if (is_unreadable(facts) || !encoded) return;
  core::TaskFacts again;
  store::decode_retry(*encoded, again);
  demand(!is_unreadable(again) && again.retry == facts.retry && again.trace == facts.trace,
         "a retry policy or a trace changed in the store");
}

void read_labels(std::string_view text) {
  core::TaskFacts facts;
  store::decode_labels(text, facts);
  const auto encoded = store::encode_labels(facts.labels);
  if (is_unreadable(facts) || !encoded) return;
  core::TaskFacts again;
  store::decode_labels(*encoded, again);
  demand(again.labels == facts.labels, "labels changed in the store");
}

void read_error(std::string_view text) {
  const core::TaskError error = store::decode_error(text);
  if (core::utf8_length(error.code + error.message).has_value())
    demand(store::decode_error(store::encode_error(error)) == error, "an error changed in the store");
}

void read_limits(std::string_view text) {
  core::QueueSettings settings;
  store::decode_type_limits(text, settings);
}

void read_payload(std::string_view text) {
  core::TaskFacts facts;
  facts.payload = {std::string{text}};
  store::decode_task_payload(facts);
}

void read_run(std::string_view text) {
  core::Run run;
  const bool is_whole =
      store::decode_run_facts(text, run.facts).empty() && store::decode_run_standing(text, run).empty();
  if (!is_whole) return;
  core::RunFacts again;
  demand(store::decode_run_facts(store::encode_run_facts(run.facts), again).empty(),
         "a run that was written again cannot be read");
}

void read_node(std::string_view text) {
  core::Node node;
  if (!store::decode_node(text, node).empty()) return;
  core::Node again;
  demand(store::decode_node(store::encode_node(node), again).empty(),
         "a node that was written again cannot be read");
}

void read_record(std::string_view text) {
  const core::Record record{.ref = {.kind = core::RecordKind::token, .key = "k"},
                            .body = {std::string{text}}};
  if (store::is_readable(record)) demand(!core::json_error(record.body.text), "a readable record is no JSON");
}

using ReadColumn = void (*)(std::string_view);
constexpr std::array<ReadColumn, 8> kColumns{read_retry,   read_labels, read_error, read_limits,
                                             read_payload, read_run,    read_node,  read_record};

void read_stored(std::string_view bytes) {
  const auto [kind, text] = kind_and_rest(bytes, kColumns.size());
  kColumns.at(kind)(text);
}

// How a node's inbox reads a row. Rows that are not objects are set aside before.
void read_inbox(std::string_view bytes) {
  const core::Record record{
      .ref = {.kind = core::RecordKind::inbox, .key = "01a1e05c-3820-7001-9748-d023fc4d66c2"},
      .body = {std::string{bytes}}};
  if (!store::is_readable(record)) return;
  const core::InboxCall call = core::inbox_call_from(record);
  demand(!call.refs.empty() && call.refs.front() == record.ref, "a call has lost its record");
  (void)core::check(call.command);
}

const std::array kStoredTargets{
    Target{
        "stored",
        read_stored,
        {R"(0{"max_attempts":3,"initial_us":1000000,"backoff":2.0,"max_us":60000000,"jitter":true,"non_retryable":["x"]})",
         R"(1{"a":"b","c":""})", R"(2{"code":"c","message":"m","retryable":true})", R"(3{"t":3})",
         R"(4{"payload":1})",
         R"(5{"id":"01a1e05c-3820-7001-9748-d023fc4d66c2","ns":"default","workflow":"w","input":{},"labels":{"a":"b"}})",
         R"(6{"id":"a","kind":"task","attempt":2,"input":{"x":1},"error":{"code":"c","message":"m"}})",
         R"(7{"id":"x"})"}},
    Target{
        "inbox",
        read_inbox,
        {R"({"call":"enqueue","namespace":"default","name":"t","payload":{"a":1},"queue":"q","priority":1,"key":"k","once":"o","run_at":"2026-01-29T10:00:00.000000Z"})",
         R"({"call":"start_workflow","namespace":"default","name":"w","payload":{},"once":"o"})",
         R"({"call":"signal","namespace":"default","name":"s","run":"01a1e05c-3820-7001-9748-d023fc4d66c2","payload":1})"}},
};

}  // namespace

std::span<const Target> stored_targets() { return kStoredTargets; }

}  // namespace pawl::fuzz
