#pragma once
// A dashboard file embedded in the binary.

#include <string_view>

namespace pawl::server {

struct DashboardFile {
  std::string_view path;  // for example index.html
  std::string_view content_type;
  std::string_view etag;
  std::string_view gzip;  // its content, compressed
};

}  // namespace pawl::server
