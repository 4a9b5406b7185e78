// The limits of claims, reports and queue settings.

#include <gtest/gtest.h>

#include "core/task/command.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

std::string field_of(const Status& status) {
  if (status.ok()) return "";
  return status.problem().errors.empty() ? "?" : status.problem().errors[0].field;
}

std::string refused_field(auto change) {
  ClaimTasks claim{.worker_id = "w"};
  change(claim);
  return field_of(check(Command{claim}));
}

TEST(Check, ValidatesClaims) {
  EXPECT_EQ(refused_field([](ClaimTasks&) {}), "");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.worker_id = ""; }), "worker_id");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.queues = {}; }), "queues");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.queues = {"a", ""}; }), "queues[1]");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.queues.assign(kClaimQueuesMax, "q"); }), "");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.queues.assign(kClaimQueuesMax + 1, "q"); }),
            "queues");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.types = {"a", "b", "\n"}; }), "types[2]");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.types.assign(kClaimTypesMax, "q"); }), "");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.types.assign(kClaimTypesMax + 1, "q"); }), "types");
  for (const int max : {1, static_cast<int>(kClaimTasksMax)}) {
    EXPECT_EQ(refused_field([=](ClaimTasks& claim) { claim.max = max; }), "");
  }
  for (const int max : {-1, 0, static_cast<int>(kClaimTasksMax) + 1}) {
    EXPECT_EQ(refused_field([=](ClaimTasks& claim) { claim.max = max; }), "max");
  }
  for (const Duration lease : {kLeaseMin, kLeaseMax}) {
    EXPECT_EQ(refused_field([=](ClaimTasks& claim) { claim.lease = lease; }), "");
  }
  for (const Duration lease : {Duration{-1}, Duration{0}, kLeaseMin - 1us, kLeaseMax + 1us}) {
    EXPECT_EQ(refused_field([=](ClaimTasks& claim) { claim.lease = lease; }), "lease");
  }
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.wait = kClaimWaitMax; }), "");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.wait = kClaimWaitMax + 1us; }), "wait");
  EXPECT_EQ(refused_field([](ClaimTasks& claim) { claim.wait = -1us; }), "wait");
}

TEST(Check, ValidatesTheListOfReports) {
  EXPECT_EQ(field_of(check(Command{ReportTasks{.worker_id = "w"}})), "reports");
  EXPECT_EQ(field_of(check(Command{ReportTasks{.worker_id = "", .reports = {{}}}})), "worker_id");
  ReportTasks many{.worker_id = "w"};
  many.reports.resize(kReportsMax);
  EXPECT_EQ(field_of(check(Command{many})), "");
  many.reports.resize(kReportsMax + 1);
  EXPECT_EQ(field_of(check(Command{many})), "reports");
}

Report fail_of(TaskError error) { return {.action = ReportAction::fail, .error = std::move(error)}; }

TEST(Check, NamesTheInvalidReport) {
  EXPECT_EQ(field_of(check(Report{}, 0)), "");
  EXPECT_EQ(field_of(check(Report{.lease = kLeaseMin}, 0)), "");
  EXPECT_EQ(field_of(check(Report{.lease = kLeaseMin - 1us}, 3)), "reports[3].lease");
  EXPECT_EQ(field_of(check(Report{.lease = kLeaseMax + 1us}, 3)), "reports[3].lease");
  EXPECT_EQ(field_of(check(Report{.action = ReportAction::complete, .output = {"{"}}, 4)),
            "reports[4].output");
  const Report large{.action = ReportAction::complete,
                     .output = {"\"" + std::string(kPayloadBytesMax, 'x') + "\""}};
  EXPECT_EQ(check(large, 0).problem().code, ProblemCode::payload_too_large);
  EXPECT_EQ(field_of(check(large, 5)), "reports[5].output");
  EXPECT_EQ(field_of(check(fail_of({.code = "c", .message = std::string(kErrorMessageBytesMax, 'm')}), 0)),
            "");
  EXPECT_EQ(
      field_of(check(fail_of({.code = "c", .message = std::string(kErrorMessageBytesMax + 1, 'm')}), 1)),
      "reports[1].error.message");
  EXPECT_EQ(field_of(check(fail_of({.code = "c", .message = "\xff"}), 1)), "reports[1].error.message");
  EXPECT_EQ(field_of(check(fail_of({.code = "c", .message = std::string(1, '\0')}), 1)),
            "reports[1].error.message");
  EXPECT_EQ(field_of(check(fail_of({.code = "", .message = "m"}), 1)), "reports[1].error.code");
  EXPECT_EQ(field_of(check(fail_of({.code = std::string(256, 'c'), .message = "m"}), 1)),
            "reports[1].error.code");
  EXPECT_EQ(
      field_of(check(
          Report{.action = ReportAction::fail, .error = {.code = "c", .message = ""}, .retry_after = -1us},
          2)),
      "reports[2].retry_after");
  EXPECT_EQ(field_of(check(Report{.action = ReportAction::fail,
                                  .error = {.code = "c", .message = ""},
                                  .retry_after = kDurationMax},
                           2)),
            "");
}

std::string refused_setting(QueuePatch patch, const std::string& name = "q") {
  return field_of(check(Command{SetQueue{.name = name, .patch = std::move(patch)}}));
}

TEST(Check, ValidatesQueueSettings) {
  EXPECT_EQ(refused_setting({}), "");
  EXPECT_EQ(refused_setting({}, ""), "name");
  EXPECT_EQ(refused_setting({.max_concurrency = {{0}}}), "");
  EXPECT_EQ(refused_setting({.max_concurrency = {{kConcurrencyMax}}}), "");
  EXPECT_EQ(refused_setting({.max_concurrency = {{-1}}}), "max_concurrency");
  EXPECT_EQ(refused_setting({.max_concurrency = {{kConcurrencyMax + 1}}}), "max_concurrency");
  EXPECT_EQ(refused_setting({.type_concurrency = {{{{"a", 0}}}}}), "");
  EXPECT_EQ(refused_setting({.type_concurrency = {{{{"a", -1}}}}}), "type_concurrency.a");
  EXPECT_EQ(refused_setting({.type_concurrency = {{{{"a", kConcurrencyMax + 1}}}}}), "type_concurrency.a");
  EXPECT_EQ(refused_setting({.type_concurrency = {{{{"", 1}}}}}), "type_concurrency");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = 1, .per = 1ms}}}}), "");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = kRateLimitMax, .per = 24h}}}}), "");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = 0, .per = 1s}}}}), "rate.limit");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = kRateLimitMax + 1, .per = 1s}}}}), "rate.limit");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = 1, .per = 0s}}}}), "rate.per");
  EXPECT_EQ(refused_setting({.rate = {{Rate{.limit = 1, .per = 24h + 1us}}}}), "rate.per");
}

TEST(Check, ValidatesBulkIds) {
  CancelTasks cancel;
  cancel.ids.resize(static_cast<std::size_t>(kBulkTasksMax));
  EXPECT_EQ(field_of(check(Command{cancel})), "");
  cancel.ids.emplace_back();
  EXPECT_EQ(field_of(check(Command{cancel})), "ids");
  EXPECT_EQ(field_of(check(Command{RetryTasks{.ids = cancel.ids}})), "ids");
}

TEST(Weight, IsTheNumberOfTasksThatACommandTouches) {
  EXPECT_EQ(weight_of(EnqueueTasks{.tasks = {{}, {}, {}}}), 3U);
  EXPECT_EQ(weight_of(ClaimTasks{.max = 7}), 7U);
  EXPECT_EQ(weight_of(ReportTasks{.reports = {{}, {}}}), 2U);
  EXPECT_EQ(weight_of(SetQueue{}), 1U);
  EXPECT_EQ(weight_of(SweepLeases{.leases = {{}}}), 1U);
  EXPECT_EQ(weight_of(PromoteDue{.ids = {{}, {}}}), 2U);
}

}  // namespace
}  // namespace pawl::core
