#include "store/sqlite/turnstile.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/sqlite/private_files.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr std::chrono::microseconds kPatience{2'000'000};

}  // namespace

Turnstile::Turnstile(const std::string& path, std::uint64_t seed) : wait_(seed) {
  wait_.set_limit(kPatience);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivateFile);
  if (file_ < 0) {
    throw StoreError{StoreError::Kind::unavailable,
                     fmt::format("{}: cannot be opened: {}", path, std::system_category().message(errno))};
  }
}

Turnstile::~Turnstile() { ::close(file_); }

void Turnstile::enter() {
  for (int count = 0; ::flock(file_, LOCK_EX | LOCK_NB) != 0; ++count) {
    is_blocked_ = is_blocked_ || !wait_.wait(count);
    if (is_blocked_) return;
  }
  is_blocked_ = false;
}

void Turnstile::leave() const { ::flock(file_, LOCK_UN); }

}  // namespace pawl::store::sqlite
