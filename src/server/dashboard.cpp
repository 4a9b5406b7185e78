#include "server/dashboard.hpp"

#include <algorithm>

#include "server/dashboard_files.hpp"

namespace pawl::server {

namespace {

// Nothing from elsewhere, nothing inline, nothing that could be made a script: what users put into payloads
// stays text.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// The name of an asset changes with its content.
constexpr std::string_view kForEver = "public, max-age=31536000, immutable";
constexpr std::string_view kAskAgain = "no-cache";

const DashboardFile* find(std::string_view path) {
  const auto* const file = std::find_if(kDashboardFiles.begin(), kDashboardFiles.end(),
                                        [&](const DashboardFile& one) { return one.path == path; });
  return file == kDashboardFiles.end() ? nullptr : file;
}

Response response_of(const DashboardFile& file, const Request& request, std::string_view caching) {
  const bool is_known = request.if_none_match.find(file.etag) != std::string::npos;
  return {.status = is_known ? 304 : 200,
          .body = std::string{file.gzip},
          .content_type = std::string{file.content_type},
          .headers = {{"Content-Encoding", "gzip"},
                      {"ETag", std::string{file.etag}},
                      {"Cache-Control", std::string{caching}},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", std::string{kPolicy}},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

// For a terminal, and for a build without the dashboard.
Response where_to_look(const std::string& version, bool has_dashboard) {
  const std::string dashboard = has_dashboard
                                    ? "/               the dashboard, in a browser\n"
                                    : "This build has no dashboard: ./dev build makes one that has it (it "
                                      "needs Node.js 18 or later).\n\n";
  return {.body = "Pawl " + version + "\n\n" + dashboard +
                  "/openapi.json   what can be called\n/metrics        how it is doing\n/readyz         "
                  "whether it can serve\n",
          .content_type = "text/plain"};
}

}  // namespace

Response dashboard_page(const Request& request, const std::string& version) {
  const DashboardFile* page = find("index.html");
  if (page == nullptr || !request.accepts_gzip) return where_to_look(version, page != nullptr);
  return response_of(*page, request, kAskAgain);
}

Response dashboard_asset(const Request& request) {
  const DashboardFile* asset = find("assets/" + request.parameters.front());
  if (asset == nullptr)
    return problem_response({.code = core::ProblemCode::not_found, .detail = "there is nothing here"},
                            request.id);
  if (!request.accepts_gzip)
    return problem_response({.code = core::ProblemCode::invalid_argument,
                             .detail = "the dashboard is sent compressed: Accept-Encoding must allow gzip"},
                            request.id, 406);
  return response_of(*asset, request, kForEver);
}

}  // namespace pawl::server
