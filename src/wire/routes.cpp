#include "wire/routes.hpp"

#include <algorithm>
#include <array>

#include "wire/admin_routes.hpp"
#include "wire/percent.hpp"
#include "wire/record_routes.hpp"
#include "wire/run_routes.hpp"
#include "wire/schedule_routes.hpp"
#include "wire/service_routes.hpp"
#include "wire/step_routes.hpp"
#include "wire/task_routes.hpp"

namespace pawl::wire {

namespace {

// The order is that of the reference and of /openapi.json.
constexpr std::array kTables{std::span<const Route>{kServiceRoutes}, std::span<const Route>{kTaskRoutes},
                             std::span<const Route>{kRecordRoutes},  std::span<const Route>{kAdminRoutes},
                             std::span<const Route>{kRunRoutes},     std::span<const Route>{kStepRoutes},
                             std::span<const Route>{kScheduleRoutes}};

constexpr bool has_each_call_once() {
  std::array<int, kCallCount> counts{};
  for (const auto& table : kTables) {
    for (const Route& route : table) ++counts.at(static_cast<std::size_t>(route.call));
  }
  return std::all_of(counts.begin(), counts.end(), [](int count) { return count == 1; });
}
static_assert(has_each_call_once(), "each call needs one route");

constexpr std::array<Route, kCallCount> joined() {
  std::array<Route, kCallCount> all{};
  auto end = all.begin();
  for (const auto& table : kTables) end = std::copy(table.begin(), table.end(), end);
  return all;
}
constexpr std::array<Route, kCallCount> kRoutes = joined();

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.empty() || path.front() != '/') return segments;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    segments.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return segment.size() > 2 && segment.front() == '{'; }

// The table with its paths split once, because each request is compared with all of them.
struct Pattern {
  const Route* route = nullptr;
  std::vector<std::string_view> segments = {};
};
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> made;
    for (const Route& route : kRoutes) made.push_back({.route = &route, .segments = segments_of(route.path)});
    return made;
  }();
  return all;
}

// A literal segment is compared with the raw bytes, so "%2e" cannot bypass it.
bool fits(const Pattern& pattern, const std::vector<std::string_view>& segments) {
  const auto& wanted = pattern.segments;
  if (wanted.size() != segments.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_parameter(wanted[i]) ? segments[i].empty() : wanted[i] != segments[i]) return false;
  }
  return true;
}

core::Problem no_such_path(std::string_view path) {
  return {.code = core::ProblemCode::not_found, .detail = "no route matches " + std::string{path}};
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
  }
  return "";
}

std::optional<Method> method_from(std::string_view name) {
  for (const Method method : {Method::get, Method::post, Method::put, Method::patch, Method::del}) {
    if (name_of(method) == name) return method;
  }
  return std::nullopt;
}

std::span<const Route> routes() { return kRoutes; }

core::Result<Match> match(Method method, std::string_view path) {
  const auto segments = segments_of(path);
  for (const Pattern& pattern : patterns()) {
    if (pattern.route->method != method || !fits(pattern, segments)) continue;
    Match found{.route = pattern.route};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!is_parameter(pattern.segments[i])) continue;
      auto value = percent_decoded(segments[i]);
      if (!value) return no_such_path(path);
      found.parameters.push_back(std::move(*value));
    }
    return found;
  }
  return no_such_path(path);
}

std::vector<Method> methods_of(std::string_view path) {
  std::vector<Method> methods;
  const auto segments = segments_of(path);
  for (const Pattern& pattern : patterns()) {
    const Method method = pattern.route->method;
    const bool is_new = std::find(methods.begin(), methods.end(), method) == methods.end();
    if (is_new && fits(pattern, segments)) methods.push_back(method);
  }
  return methods;
}

}  // namespace pawl::wire
