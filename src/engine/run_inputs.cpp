#include "engine/run_inputs.hpp"

#include <string>

namespace pawl::engine {

void RunInputs::fill_in(core::TaskFacts& facts) {
  if (!facts.takes_run_input || !facts.payload.empty() || !facts.run) return;
  auto known = known_.find(facts.run->run_id);
  if (known == known_.end()) known = known_.emplace(facts.run->run_id, find_(facts.run->run_id)).first;
  if (known->second) {
    facts.payload = *known->second;
  } else {
    facts.labels.insert_or_assign(std::string{core::kUnreadableLabel}, "payload");
  }
}

}  // namespace pawl::engine
