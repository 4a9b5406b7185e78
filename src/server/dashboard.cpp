#include "server/dashboard.hpp"

#include <algorithm>
#include <array>

#include <boost/beast/zlib/inflate_stream.hpp>

#include "core/base/ensure.hpp"
#include "server/dashboard_files.hpp"

namespace pawl::server {

namespace {

// Allows nothing external, nothing inline and nothing that could become a script, so user payloads remain
// text.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// An asset's name changes with its content.
constexpr std::string_view kForEver = "public, max-age=31536000, immutable";
constexpr std::string_view kAskAgain = "no-cache";

const DashboardFile* find(std::string_view path) {
  const auto* const file = std::find_if(kDashboardFiles.begin(), kDashboardFiles.end(),
                                        [&](const DashboardFile& one) { return one.path == path; });
  return file == kDashboardFiles.end() ? nullptr : file;
}

// The last four bytes are the uncompressed size, little-endian.
std::size_t unpacked_size(std::string_view gzip) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) size = size << 8U | static_cast<unsigned char>(gzip[gzip.size() - i]);
  return size;
}

std::string unpacked(std::string_view gzip) {
  namespace zlib = boost::beast::zlib;
  constexpr std::size_t kHead = 10;  // gzip header size if no flag adds a file name or other fields
  constexpr std::size_t kTail = 8;   // checksum and size
  PAWL_ENSURE(gzip.size() > kHead + kTail && gzip[3] == '\0', "a file of the dashboard is no plain gzip");
  std::string plain(unpacked_size(gzip), '\0');
  zlib::z_params step;
  step.next_in = gzip.data() + kHead;
  step.avail_in = gzip.size() - kHead - kTail;
  step.next_out = plain.data();
  step.avail_out = plain.size();
  boost::beast::error_code end;
  zlib::inflate_stream{}.write(step, zlib::Flush::finish, end);
  PAWL_ENSURE(end == zlib::error::end_of_stream && step.avail_out == 0,
              "a file of the dashboard is not what it was packed from");
  return plain;
}

// Few clients lack gzip support: the first one decompresses all files, which stay cached.
const std::string& plain_of(const DashboardFile& file) {
  static const auto all = [] {
    std::array<std::string, kDashboardFiles.size()> files;
    std::transform(kDashboardFiles.begin(), kDashboardFiles.end(), files.begin(),
                   [](const DashboardFile& one) { return unpacked(one.gzip); });
    return files;
  }();
  return all.at(static_cast<std::size_t>(&file - kDashboardFiles.data()));
}

// The two encodings have different ETags, so that proxies never confuse them.
std::string etag_of(const DashboardFile& file, bool is_packed) {
  std::string etag{file.etag};
  if (!is_packed) etag.insert(etag.size() - 1, "-plain");
  return etag;
}

Response response_of(const DashboardFile& file, const Request& request, std::string_view caching) {
  const bool is_packed = request.accepts_gzip;
  const std::string etag = etag_of(file, is_packed);
  const bool is_known = request.if_none_match.find(etag) != std::string::npos;
  Response response{.status = is_known ? 304 : 200,
                    .body = is_packed ? std::string{file.gzip} : plain_of(file),
                    .content_type = std::string{file.content_type},
                    .headers = {{"ETag", etag},
                                {"Cache-Control", std::string{caching}},
                                {"Vary", "Accept-Encoding"},
                                {"Content-Security-Policy", std::string{kPolicy}},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Opener-Policy", "same-origin"},
                                {"Cross-Origin-Resource-Policy", "same-origin"}}};
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

// For a build without the dashboard.
Response where_to_look(const std::string& version) {
  return {
      .body = "Pawl " + version +
              "\n\nThis build has no dashboard: ./dev build makes one that has it (it needs Node.js 18 or "
              "later).\n\n"
              "/openapi.json   what can be called\n/metrics        how it is doing\n/readyz         "
              "whether it can serve\n",
      .content_type = "text/plain"};
}

}  // namespace

Response dashboard_page(const Request& request, const std::string& version) {
  const DashboardFile* page = find("index.html");
  if (page == nullptr) return where_to_look(version);
  return response_of(*page, request, kAskAgain);
}

Response dashboard_asset(const Request& request) {
  const DashboardFile* asset = find("assets/" + request.parameters.front());
  if (asset == nullptr)
    return problem_response({.code = core::ProblemCode::not_found, .detail = "no such dashboard file"},
                            request.id);
  return response_of(*asset, request, kForEver);
}

}  // namespace pawl::server
