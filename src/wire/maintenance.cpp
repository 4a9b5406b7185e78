#include "wire/maintenance.hpp"

namespace pawl::wire {

void write_node(Writer& out, const core::NodeStatus& node) {
  out.begin_object()
      .field("node_id", node.node_id)
      .field("hostname", node.hostname)
      .field("started_at", node.started_at)
      .field("heartbeat_at", node.heartbeat_at)
      .field("is_leader", node.is_leader)
      .field("leader_until", node.leader_until);
  if (node.is_leader) {
    out.field("term", node.term);
  } else {
    out.key("term").null();
  }
  out.field("version", node.version)
      .field("clock_skew_ms", std::chrono::round<std::chrono::milliseconds>(node.clock_skew).count())
      .end_object();
}

core::NodeStatus read_node(ObjectReader& in) {
  return {.node_id = in.text("node_id"),
          .hostname = in.optional_text("hostname").value_or(""),
          .started_at = in.optional_time("started_at").value_or(core::TimePoint{}),
          .heartbeat_at = in.optional_time("heartbeat_at").value_or(core::TimePoint{}),
          .is_leader = in.optional_boolean("is_leader").value_or(false),
          .leader_until = in.optional_time("leader_until"),
          .term = in.optional_integer("term").value_or(0),
          .version = in.optional_text("version").value_or(""),
          .clock_skew = std::chrono::milliseconds{in.optional_integer("clock_skew_ms").value_or(0)}};
}

core::Sweep read_sweep_request(ObjectReader& in) {
  return {.check = read_check(in), .dry_run = in.optional_boolean("dry_run").value_or(false)};
}

core::RecoveryCheck read_check(ObjectReader& in) {
  const std::string name = in.text("check");
  const auto check = core::recovery_check_from(name);
  if (!check && !name.empty())
    in.mistake("check", "must be leases, timeouts, stuck, deadlines, workers or retention");
  return check.value_or(core::RecoveryCheck::leases);
}

void write_sweep(Writer& out, const core::SweepResult& result) {
  out.begin_object()
      .field("check", core::to_string(result.check))
      .field("examined", result.examined)
      .field("changed", result.changed);
  if (result.check == core::RecoveryCheck::retention) {
    out.key("erased").begin_array();
    for (const core::ErasedKind& one : result.erased) {
      out.begin_object()
          .field("namespace", one.ns.empty() ? std::nullopt : std::optional{one.ns})
          .field("kind", one.kind)
          .field("count", one.count)
          .end_object();
    }
    out.end_array();
  }
  out.end_object();
}

core::SweepResult read_sweep(ObjectReader& in) {
  core::SweepResult result{.check = read_check(in),
                           .examined = static_cast<int>(in.integer("examined")),
                           .changed = static_cast<int>(in.integer("changed"))};
  if (!in.has("erased")) return result;
  in.objects_leniently("erased", [&](ObjectReader& one) {
    result.erased.push_back({.ns = one.optional_text("namespace").value_or(""),
                             .kind = one.text("kind"),
                             .count = static_cast<int>(one.integer("count"))});
  });
  return result;
}

void write_verification(Writer& out, const core::Verification& verification) {
  out.begin_object().field("ok", verification.is_ok()).key("checks").begin_array();
  for (const core::Verdict& verdict : verification.checks) {
    out.begin_object().field("id", verdict.id).field("examined", verdict.examined);
    if (verdict.examined == 0) out.field("vacuous", true);
    out.key("violations").begin_array();
    for (const core::Violation& violation : verdict.violations) {
      out.begin_object().field("object", violation.object).field("message", violation.message).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

core::Verification read_verification(ObjectReader& in) {
  core::Verification verification;
  in.objects_leniently("checks", [&](ObjectReader& one) {
    core::Verdict& verdict = verification.checks.emplace_back();
    verdict.id = one.text("id");
    verdict.examined = one.integer("examined");
    one.objects_leniently("violations", [&](ObjectReader& violation) {
      verdict.violations.push_back(
          {.object = violation.text("object"), .message = violation.text("message")});
    });
  });
  return verification;
}

void write_vitals(Writer& out, const core::StoreVitals& vitals) {
  out.begin_object()
      .field("now", vitals.now)
      .field("bytes", vitals.bytes)
      .field("free_bytes", vitals.free_bytes)
      .field("log_bytes", vitals.log_bytes)
      .key("tables")
      .begin_array();
  for (const core::TableVitals& table : vitals.tables) {
    out.begin_object()
        .field("name", table.name)
        .field("rows", table.rows)
        .field("dead_rows", table.dead_rows)
        .field("bytes", table.bytes)
        .end_object();
  }
  out.end_array().key("oldest_transaction");
  if (vitals.oldest_transaction) {
    out.begin_object()
        .field("who", vitals.oldest_transaction->who)
        .field("age", vitals.oldest_transaction->age)
        .end_object();
  } else {
    out.null();
  }
  out.key("clock")
      .begin_object()
      .field("steps", vitals.clock.steps)
      .field("steps_back", vitals.clock.steps_back)
      .field("largest_step", vitals.clock.largest)
      .field("last_step_at", vitals.clock.recent.empty() ? std::optional<core::TimePoint>{}
                                                         : std::optional{vitals.clock.recent.back().at})
      .field("ahead", core::ahead_of(vitals.clock, vitals.now))
      .end_object()
      .end_object();
}

core::StoreVitals read_vitals(ObjectReader& in) {
  core::StoreVitals vitals{.now = in.optional_time("now").value_or(core::TimePoint{}),
                           .bytes = in.integer("bytes"),
                           .free_bytes = in.integer("free_bytes"),
                           .log_bytes = in.integer("log_bytes")};
  in.objects_leniently("tables", [&](ObjectReader& one) {
    vitals.tables.push_back({.name = one.text("name"),
                             .rows = one.integer("rows"),
                             .dead_rows = one.integer("dead_rows"),
                             .bytes = one.integer("bytes")});
  });
  in.optional_object_leniently("oldest_transaction", [&](ObjectReader& one) {
    vitals.oldest_transaction = core::OpenTransaction{
        .who = one.text("who"), .age = one.optional_duration("age").value_or(core::Duration{0})};
  });
  in.optional_object_leniently("clock", [&](ObjectReader& one) {
    vitals.clock = {.steps = one.integer("steps"),
                    .ahead = one.optional_duration("ahead").value_or(core::Duration{0}),
                    .since = vitals.now,
                    .steps_back = one.integer("steps_back"),
                    .largest = one.optional_duration("largest_step").value_or(core::Duration{0})};
    const auto last = one.optional_time("last_step_at");
    if (last) vitals.clock.recent = {{.number = vitals.clock.steps, .at = *last}};
  });
  return vitals;
}

}  // namespace pawl::wire
