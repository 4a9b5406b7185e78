#include "server/log.hpp"

#include <array>
#include <cstdio>

#include "core/base/printable.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

}  // namespace

void Log::write(LogLevel level, std::string_view what, const Fields& fields) {
  if (!shows(level)) return;
  const std::string_view level_name = kLevels.at(static_cast<std::size_t>(level));
  std::string line;
  if (options_.is_json) {
    wire::Writer out;
    out.begin_object().field("at", clock_.now()).field("level", level_name).field("what", what);
    for (const auto& [name, value] : fields) out.field(name, value);
    line = out.end_object().take();
  } else {
    line = core::format_time(clock_.now()) + " " + std::string{level_name} + " " + std::string{what};
    for (const auto& [name, value] : fields) line += " " + std::string{name} + "=" + core::json_quote(value);
  }
  line = core::printable(line) + "\n";  // JSON remains equivalent JSON
  const std::lock_guard lock{mutex_};
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace pawl::server
