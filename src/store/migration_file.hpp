// A migration that the build embeds from src/store/<database>/migrations/NNNN_name.sql.
//
// Versions start at 1 and have no gaps. `text` is the file byte for byte, so its checksum is the file's. The
// views point to string literals and are valid as long as the program runs.
#pragma once

#include <string_view>

namespace pawl::store {

struct MigrationFile {
  int version = 0;
  std::string_view name;
  std::string_view text;
};

}  // namespace pawl::store
