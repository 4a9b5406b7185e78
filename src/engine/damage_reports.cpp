#include "engine/damage_reports.hpp"

#include <utility>

namespace pawl::engine {

void DamageReports::listen(Listener listener) {
  const std::lock_guard lock{mutex_};
  listener_ = std::move(listener);
}

void DamageReports::report(const std::string& object, const std::string& why) {
  const std::lock_guard lock{mutex_};
  if (listener_) listener_(object, why);
}

}  // namespace pawl::engine
