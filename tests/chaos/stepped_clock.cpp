// Preloaded into a program whose wall clock the chaos campaign steps: adds the seconds in the file that
// PAWL_STEPPED_CLOCK names to each reading. Monotonic clocks stay correct.
//
// PostgreSQL reads the clock in signal handlers, so nothing here allocates or locks. (libfaketime reads its
// file through stdio on each call: a backend that a signal interrupted in malloc hung forever.)

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

using Seconds = const volatile std::int64_t;

std::atomic<Seconds*> mapped_seconds{nullptr};

Seconds* map_seconds() {
  const char* path = std::getenv("PAWL_STEPPED_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) std::abort();
  void* memory = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<Seconds*>(memory);
}

// Two first calls at the same time may both map the file, which does no harm.
std::int64_t ahead() {
  Seconds* seconds = mapped_seconds.load();
  if (seconds == nullptr) mapped_seconds.store(seconds = map_seconds());
  return *seconds;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return static_cast<int>(failed);
}

int gettimeofday(timeval* now, void* /*zone*/) noexcept {
  timespec precise{};
  const int failed = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return failed;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
