#include "runtime/membership.hpp"

#include <array>
#include <optional>

#include <unistd.h>

#include "core/base/canary.hpp"
#include "runtime/guarded.hpp"

namespace pawl::runtime {

namespace {

constexpr int kBeatsInTtl = 3;
constexpr std::size_t kHostNameMax = 256;

std::string this_host() {
  std::array<char, kHostNameMax> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Whether the leader lease has expired, by the store's clock. False if that is unknown.
bool is_leaderless(store::Store& store) {
  const auto found = guarded([&]() -> core::Result<bool> {
    auto leader = store.find_record(core::leader_ref());
    const core::TimePoint now = store.now();
    if (leader) core::skip_jumps(*leader, store.clock_state());
    return core::leadership_from(leader).until <= now;
  });
  return found && *found;
}

}  // namespace

Membership::Membership(engine::Engine& engine, core::Clock& clock, core::Random& random, NodeOptions options)
    : engine_(engine), clock_(clock) {
  core::IdGenerator ids{random};
  beat_ = {.identity = {.node_id = to_string(ids.next(clock.now())),
                        .hostname = options.hostname.empty() ? this_host() : std::move(options.hostname),
                        .version = std::move(options.version)},
           .ttl = options.leader_ttl};
}

bool Membership::is_leader() const { return clock_.monotonic() < leads_until_.load(); }

void Membership::beat_if_due() {
  const core::MonotonicTime now = clock_.monotonic();
  const bool is_due = !has_joined_ || now >= next_beat_;
  // Also while there is no leader: a leader that leaves hands over, a lost one is replaced when its lease
  // ends.
  if (!is_due && (is_leader() || !is_leaderless(engine_.store()))) return;
  next_beat_ = now + beat_.ttl / kBeatsInTtl;
  has_joined_ = true;
  beat_.clock = clock_.now();
  execute([beat = beat_](core::FoundRecords found, core::TimePoint time) {
    return core::decide_beat(beat, found, time);
  });
}

void Membership::leave() {
  if (!has_joined_) return;
  has_joined_ = false;
  execute([id = node_id()](core::FoundRecords found, core::TimePoint time) {
    return core::decide_leave(id, found, time);
  });
  leads_until_ = core::MonotonicTime{};
}

void Membership::execute(core::DecideRecords decide) {
  const core::MonotonicTime asked_at = clock_.monotonic();  // the lease began after this
  std::vector<engine::Request> group;
  group.push_back(
      {.command = core::ChangeRecords{.refs = {core::node_ref(node_id()), core::leader_ref()},
                                      .decide = std::move(decide)},
       .reply = [&](const core::Result<core::Answer>& answer) {
         const bool leads =
             answer && core::leadership_from(std::get<core::RecordAnswer>(*answer).body).node_id == node_id();
         leads_until_ = leads || (!answer && core::planted(core::Canary::leads_without_an_answer))
                            ? asked_at + beat_.ttl
                            : core::MonotonicTime{};
       }});
  engine_.execute(std::move(group));
}

}  // namespace pawl::runtime
