#pragma once
// Detects that the database, its log or its shared memory was deleted or replaced while this process has them
// open. Commits would go to files that no path leads to, and be lost at the next start. Immutable after
// construction; thread-safe.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace pawl::store::sqlite {

class FileWatch {
 public:
  // `database` is the path of a database that a connection of this process has already read, so all three
  // files exist. Throws StoreError (`unavailable`) if one does not.
  explicit FileWatch(const std::string& database);

  // Makes three statx calls. Throws StoreError (`unavailable`) that names the file and the remedy.
  void check() const;

 private:
  struct Identity {
    std::uint32_t device_major = 0;
    std::uint32_t device_minor = 0;
    std::uint64_t inode = 0;

    bool operator==(const Identity&) const = default;
  };
  struct Watched {
    std::string path;
    const char* advice = nullptr;
    Identity identity = {};
  };
  [[nodiscard]] static std::optional<Identity> find_identity(const std::string& path);

  std::array<Watched, 3> files_;
};

}  // namespace pawl::store::sqlite
