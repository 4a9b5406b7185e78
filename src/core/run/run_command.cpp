#include "core/run/run_command.hpp"

#include <array>

#include "core/base/enum_names.hpp"

namespace pawl::core {

namespace {
constexpr std::array<std::string_view, kOnConflictCount> kOnConflictNames{"return_existing", "fail",
                                                                          "restart_if_closed"};
}  // namespace

std::string_view to_string(OnConflict on_conflict) {
  return kOnConflictNames.at(static_cast<std::size_t>(on_conflict));
}
std::optional<OnConflict> on_conflict_from(std::string_view name) {
  return enum_from<OnConflict>(kOnConflictNames, name);
}

}  // namespace pawl::core
