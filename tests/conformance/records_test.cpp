// Records in the stores: compare-and-set, order, and due times.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::Record;
using core::RecordKind;
using core::RecordRef;
using store::StoreError;

class Records : public Conformance {
 public:
  [[nodiscard]] store::Store& store() { return *node().store(); }
  RecordRef ref(const std::string& key, RecordKind kind = RecordKind::lock,
                const std::string& ns = "default") {
    return {.kind = kind, .ns = ns, .key = key};
  }
  Record record(const RecordRef& ref, std::int64_t version, std::optional<core::TimePoint> expires_at = {}) {
    return {.ref = ref,
            .version = version,
            .body = {R"({"n":1.0})"},
            .expires_at = expires_at,
            .created_at = clock.now(),
            .updated_at = clock.now()};
  }
  void write(std::vector<store::RecordWrite> writes) {
    const auto tx = store().begin();
    for (const auto& one : writes) (void)tx->lock_records(std::vector{one.ref});
    tx->commit({.records = std::move(writes)});
  }
  void put(const RecordRef& ref, std::optional<core::TimePoint> expires_at = {}) {
    write({{.ref = ref, .version_before = 0, .record = record(ref, 1, expires_at)}});
  }
  void expect_retry(store::RecordWrite write) {
    try {
      this->write({std::move(write)});
      ADD_FAILURE() << "a stale write went through";
    } catch (const StoreError& error) {
      EXPECT_EQ(error.kind(), StoreError::Kind::retry);
    }
  }
  std::vector<std::string> keys(const std::vector<Record>& records) {
    std::vector<std::string> keys;
    for (const Record& one : records) keys.push_back(one.ref.key);
    return keys;
  }
};

TEST_P(Records, RoundTrip) {
  put(ref("a"), clock.now() + 1s);
  EXPECT_EQ(store().find_record(ref("a")), record(ref("a"), 1, clock.now() + 1s));
  EXPECT_EQ(store().find_record(ref("a", RecordKind::token)), std::nullopt);
  EXPECT_EQ(store().find_record(ref("a", RecordKind::lock, "other")), std::nullopt);
  const auto tx = store().begin();
  const auto locked = tx->lock_records(std::vector{ref("a"), ref("b")});
  EXPECT_EQ(locked.at(0), record(ref("a"), 1, clock.now() + 1s));
  EXPECT_EQ(locked.at(1), std::nullopt);
}

TEST_P(Records, ChangeOnlyAtTheLoadedVersion) {
  put(ref("a"));
  expect_retry({.ref = ref("a"), .version_before = 0, .record = record(ref("a"), 1)});
  expect_retry({.ref = ref("a"), .version_before = 2, .record = record(ref("a"), 3)});
  expect_retry({.ref = ref("b"), .version_before = 1, .record = record(ref("b"), 2)});
  expect_retry({.ref = ref("a"), .version_before = 2});
  write({{.ref = ref("a"), .version_before = 1, .record = record(ref("a"), 2)}});
  EXPECT_EQ(store().find_record(ref("a"))->version, 2);
  write({{.ref = ref("a"), .version_before = 2}});
  EXPECT_EQ(store().find_record(ref("a")), std::nullopt);
}

TEST_P(Records, OfOneCommitAreAtomic) {
  put(ref("a"));
  try {
    write({{.ref = ref("b"), .version_before = 0, .record = record(ref("b"), 1)},
           {.ref = ref("a"), .version_before = 7, .record = record(ref("a"), 8)}});
    ADD_FAILURE();
  } catch (const StoreError&) {
    EXPECT_EQ(store().find_record(ref("b")), std::nullopt);
  }
}

TEST_P(Records, AreListedInByteOrderWithinTheirKindAndNamespace) {
  for (const char* key : {"b", "B", "ä", "a", "a b"}) put(ref(key));
  put(ref("c", RecordKind::worker));
  put(ref("c", RecordKind::lock, "other"));
  const store::RecordPage all{.kind = RecordKind::lock, .ns = "default", .limit = 10};
  EXPECT_EQ(keys(store().list_records(all)), (std::vector<std::string>{"B", "a", "a b", "b", "ä"}));
  const store::RecordPage page{.kind = RecordKind::lock, .ns = "default", .after_key = "a", .limit = 2};
  EXPECT_EQ(keys(store().list_records(page)), (std::vector<std::string>{"a b", "b"}));
}

TEST_P(Records, AreDueInTheOrderOfTheirTime) {
  put(ref("late"), clock.now() + 2s);
  put(ref("soon"), clock.now() + 1s);
  put(ref("never"));
  put(ref("worker", RecordKind::worker), clock.now() + 1s);
  put(ref("elsewhere", RecordKind::lock, "other"), clock.now() + 1s);
  EXPECT_TRUE(store().due_records(RecordKind::lock, 10).empty());
  clock.advance(1s);
  EXPECT_EQ(keys(store().due_records(RecordKind::lock, 10)), (std::vector<std::string>{"soon", "elsewhere"}));
  clock.advance(1s);
  EXPECT_EQ(keys(store().due_records(RecordKind::lock, 2)), (std::vector<std::string>{"soon", "elsewhere"}));
}

TEST_P(Records, CreatedAndErasedInOneGroupLeaveNothing) {
  const auto command = [this](bool erases) {
    core::RecordChange change{.ref = ref("a")};
    if (!erases) change.body = core::RawJson{"{}"};
    return core::ChangeRecords{
        .refs = {ref("a")}, .decide = [change](core::FoundRecords, core::TimePoint) {
          return core::Result<core::RecordDecision>{core::RecordDecision{.changes = {change}}};
        }};
  };
  for (const auto& answer : submit_group(node(), {command(false), command(true)}))
    EXPECT_TRUE(answer.answer().ok());
  EXPECT_EQ(store().find_record(ref("a")), std::nullopt);
  (void)submit_group(node(), {command(false), command(false)});
  EXPECT_EQ(store().find_record(ref("a"))->version, 2) << "one a change";
  (void)submit_group(node(), {command(true), command(false)});
  EXPECT_EQ(store().find_record(ref("a"))->version, 3);
}

TEST_P(Records, WithInvalidNamesAreRejectedEverywhereAlike) {
  for (const std::string& bad :
       {std::string{}, std::string{"a\0b", 3}, std::string{"\xff"}, std::string(600, 'x')}) {
    const auto field = [](const auto& result) { return result.problem().errors.at(0).field; };
    EXPECT_EQ(field(api().get_lock("default", bad)), "key");
    EXPECT_EQ(field(api().get_idempotency("default", bad)), "key");
    EXPECT_EQ(field(api().get_worker("default", bad)), "worker_id");
    EXPECT_EQ(field(api().get_type("default", bad)), "type");
    EXPECT_EQ(field(api().find_token(bad)), "id");
    EXPECT_EQ(field(api().list_types({.cursor = "k" + (bad.empty() ? "\n" : bad)})), "cursor");
  }
  EXPECT_EQ(api().get_lock("No", "k").problem().errors.at(0).field, "namespace");
}

PAWL_ON_EVERY_STORE(Records);

}  // namespace
}  // namespace pawl::testing
