// A migration as the build embeds it from src/store/<database>/migrations/NNNN_name.sql.
//
// Always: versions start at 1 and have no gaps; `text` is the file byte for byte, so that a checksum of it is
// one of the file. The views point at string literals and live as long as the program.
#pragma once

#include <string_view>

namespace pawl::store {

struct MigrationFile {
  int version = 0;
  std::string_view name;
  std::string_view text;
};

}  // namespace pawl::store
