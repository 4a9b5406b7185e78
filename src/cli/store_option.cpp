#include "cli/store_option.hpp"

#include <array>
#include <fstream>
#include <string_view>

#include "cli/redact.hpp"

namespace pawl::cli {

namespace {

// A missing or empty file may become a SQLite database.
bool is_other_file(const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "SQLite format 3\0"sv;
  std::ifstream file{path, std::ios::binary};
  std::array<char, kMagic.size()> start{};
  file.read(start.data(), start.size());
  const auto count = static_cast<std::size_t>(file.gcount());
  return count > 0 && std::string_view{start.data(), count} != kMagic;
}

}  // namespace

core::Result<client::StoreAddress> store_named(Context& context, const std::string& text) {
  context.out.hide(password_in(text));
  auto address = client::parse_store_address(text);
  if (!address) return address;
  if (address->type == client::StoreType::sqlite && is_other_file(address->location)) {
    return core::Problem{.code = core::ProblemCode::invalid_state,
                         .detail = address->location + " is not a SQLite database"};
  }
  return address;
}

}  // namespace pawl::cli
