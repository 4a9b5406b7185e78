#pragma once
// Ids that SQL functions have returned before their task or run exists: a call that names one creates it.
// Thread-safe after `follow`.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/base/ids.hpp"
#include "core/base/problem.hpp"

namespace pawl::runtime {

// The state of an id that a SQL function has returned.
enum class Promised : std::uint8_t { unknown, made, waits };

class PromisedIds {
 public:
  using Make = std::function<Promised(const std::string& id)>;

  // Sets how promised ids become tasks and runs. Without it, no id is promised: the store has no inbox.
  void follow(Make make) { make_ = std::move(make); }

  // Runs `call`, and runs it again if the id that it did not find was promised and exists now. Fails with
  // `unavailable` if the id still waits for earlier calls.
  template <typename Call>
  auto with_promised(const core::Uuid& id, const Call& call) const -> decltype(call()) {
    auto result = call();
    const bool is_missing = !result && result.problem().code == core::ProblemCode::not_found;
    if (!is_missing || !make_) return result;
    if (make_(to_string(id)) == Promised::waits) return not_made_yet(id);
    return call();
  }

 private:
  [[nodiscard]] static core::Problem not_made_yet(const core::Uuid& id);

  Make make_ = {};
};

}  // namespace pawl::runtime
