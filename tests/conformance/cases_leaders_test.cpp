// Regression tests for leader election bugs of other systems (RELIABILITY B22 to B24).
#include <algorithm>
#include <array>

#include "runtime/membership.hpp"
#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using runtime::Membership;
using store::StoreError;
using store::Verb;

constexpr core::Duration kTtl = 30s;

struct Term {
  core::Leadership leadership = {};
  core::TimePoint at = {};  // in store time
};

// Records the leadership that each commit of any candidate writes.
class TermPlan final : public store::FaultPlan {
 public:
  explicit TermPlan(std::vector<Term>& history) : history_(history) {}

  std::function<void(Verb)> on_verb = [](Verb) {};
  std::function<void()> on_committed = [] {};

  void before(Verb verb) override { on_verb(verb); }
  void committed(const store::WriteSet& writes, const store::Transaction& transaction) override {
    for (const store::RecordWrite& write : writes.records) {
      if (write.ref == core::leader_ref())
        history_.push_back({.leadership = core::leadership_from(write.record), .at = transaction.now()});
    }
    on_committed();
  }

 private:
  std::vector<Term>& history_;
};

// A process that tries to lead: an engine of its own, on a store whose steps the test observes and disturbs.
struct Candidate {
  Candidate(DirectNode& on, core::Clock& clock, std::vector<Term>& history, std::uint64_t seed)
      : plan(history),
        random(seed),
        node(std::shared_ptr<store::Store>{store::make_faulty_store(on.store(), plan)}, clock, seed),
        membership(node.engine(), clock, random, {.hostname = "one-host", .leader_ttl = kTtl}) {}

  TermPlan plan;
  SeededRandom random;
  DirectNode node;
  Membership membership;
};

class Leaders : public Conformance {
 public:
  Candidate& add_candidate() {
    const auto seed = 100 + candidates.size();
    nodes.push_back(another_node(seed));
    candidates.push_back(std::make_unique<Candidate>(*nodes.back(), clock, history, seed));
    return *candidates.back();
  }
  std::size_t leaders() const {
    return static_cast<std::size_t>(std::count_if(
        candidates.begin(), candidates.end(), [](const auto& one) { return one->membership.is_leader(); }));
  }
  // At most one term is valid at any store time, and terms rise.
  void expect_terms_apart() const {
    for (std::size_t i = 1; i < history.size(); ++i) {
      const Term& last = history[i - 1];
      const Term& next = history[i];
      const bool is_the_same =
          next.leadership.node_id == last.leadership.node_id && next.leadership.term == last.leadership.term;
      if (is_the_same) continue;
      EXPECT_EQ(next.leadership.term, last.leadership.term + 1);
      EXPECT_GE(next.at, last.leadership.until) << "a term began before the one before it was over";
    }
  }

  SeededRandom chance{22};
  std::vector<Term> history;
  std::vector<std::unique_ptr<DirectNode>> nodes;
  std::vector<std::unique_ptr<Candidate>> candidates;
};

TEST_P(Leaders, B22_AreElectedOneAtATimeUnderAnyDelays) {
  constexpr int kSteps = 200;
  for (int i = 0; i < 5; ++i) {
    TermPlan& plan = add_candidate().plan;
    // Delays a step by advancing the clock during it.
    const auto delay = [&] {
      if (chance.chance(0.1)) clock.advance(core::Duration{chance.below(40'000'000)});
    };
    plan.on_verb = [delay](Verb) { delay(); };
    plan.on_committed = delay;
  }
  for (int i = 0; i < kSteps; ++i) {
    Membership& one = candidates[chance.below(candidates.size())]->membership;
    if (chance.chance(0.1)) {
      one.leave();
    } else {
      one.beat_if_due();
    }
    EXPECT_LE(leaders(), 1U);
    clock.advance(core::Duration{chance.below(15'000'000)});
    EXPECT_LE(leaders(), 1U);
  }
  expect_terms_apart();
  EXPECT_GT(history.back().leadership.term, 10);
}

TEST_P(Leaders, B23_DoNotLeadAfterAnElectionWithAnUnknownOutcome) {
  Candidate& one = add_candidate();
  Candidate& other = add_candidate();
  constexpr std::array kSteps{Verb::begin, Verb::lock_records, Verb::commit};
  for (const Verb step : kSteps) {
    for (const auto kind : {StoreError::Kind::unavailable, StoreError::Kind::internal}) {
      one.plan.on_verb = [=](Verb now) {
        if (now == step) lose(kind);
      };
      one.membership.beat_if_due();
      EXPECT_FALSE(one.membership.is_leader());
      EXPECT_TRUE(history.empty()) << "nothing of a beat that failed is there";
      clock.advance(kTtl);
    }
  }
  one.plan.on_verb = [](Verb) {};
  // The commit succeeds and its reply is lost: in the store this node leads, but the node itself does not
  // assume so.
  one.plan.on_committed = [] { lose(StoreError::Kind::unavailable); };
  one.membership.beat_if_due();
  EXPECT_FALSE(one.membership.is_leader());
  EXPECT_EQ(history.back().leadership.node_id, one.membership.node_id());
  other.membership.beat_if_due();
  EXPECT_FALSE(other.membership.is_leader()) << "before the lease of the other is over";
  clock.advance(kTtl);
  other.membership.beat_if_due();
  EXPECT_TRUE(other.membership.is_leader());
  expect_terms_apart();
}

TEST_P(Leaders, B23_StopLeadingOnAnError) {
  Candidate& one = add_candidate();
  one.membership.beat_if_due();
  ASSERT_TRUE(one.membership.is_leader());
  one.plan.on_verb = [](Verb now) {
    if (now == Verb::commit) lose(StoreError::Kind::unavailable);
  };
  clock.advance(kTtl / 3);
  one.membership.beat_if_due();
  EXPECT_FALSE(one.membership.is_leader());
}

TEST_P(Leaders, B24_OfOneHostAreDistinctAndOnlyOneLeads) {
  Candidate& one = add_candidate();
  Candidate& other = add_candidate();
  for (int i = 0; i < 10; ++i) {
    one.membership.beat_if_due();
    other.membership.beat_if_due();
    EXPECT_TRUE(one.membership.is_leader());
    EXPECT_FALSE(other.membership.is_leader());
    clock.advance(kTtl / 3);
  }
  EXPECT_NE(one.membership.node_id(), other.membership.node_id());
  EXPECT_EQ(history.back().leadership.term, 1);
}

TEST_P(Leaders, AreReplacedImmediatelyOnLeaveAndAfterTheirLeaseOnLoss) {
  Candidate& one = add_candidate();
  Candidate& other = add_candidate();
  one.membership.beat_if_due();
  other.membership.beat_if_due();
  one.membership.leave();
  other.membership.beat_if_due();  // its own heartbeat would be due ten seconds later
  EXPECT_TRUE(other.membership.is_leader());
  one.membership.beat_if_due();
  clock.advance(kTtl - 1ms);
  one.membership.beat_if_due();
  EXPECT_FALSE(one.membership.is_leader());
  clock.advance(1ms);
  one.membership.beat_if_due();
  EXPECT_TRUE(one.membership.is_leader());
  expect_terms_apart();
}

PAWL_ON_EVERY_STORE(Leaders);

}  // namespace
}  // namespace pawl::testing
