#pragma once
// A file of the dashboard as it lies in the binary.

#include <string_view>

namespace pawl::server {

struct DashboardFile {
  std::string_view path;  // such as index.html
  std::string_view content_type;
  std::string_view etag;
  std::string_view gzip;  // its bytes, compressed
};

}  // namespace pawl::server
