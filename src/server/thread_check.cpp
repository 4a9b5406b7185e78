#include "server/thread_check.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>

namespace pawl::server {

namespace {

struct Latch {
  std::mutex mutex;
  std::condition_variable opened;
  bool is_open = false;
};

void* wait_for(void* pointer) {
  auto& latch = *static_cast<Latch*>(pointer);
  std::unique_lock lock{latch.mutex};
  latch.opened.wait(lock, [&latch] { return latch.is_open; });
  return nullptr;
}

}  // namespace

core::Status check_threads(int needed) {
  Latch latch;
  std::vector<pthread_t> threads(static_cast<std::size_t>(needed));
  std::size_t started = 0;
  int error = 0;
  while (started < threads.size() && error == 0) {
    error = ::pthread_create(&threads[started], nullptr, wait_for, &latch);
    if (error == 0) ++started;
  }
  {
    const std::lock_guard lock{latch.mutex};
    latch.is_open = true;
  }
  latch.opened.notify_all();
  for (std::size_t i = 0; i < started; ++i) ::pthread_join(threads[i], nullptr);
  if (error == 0) return core::Done{};
  return core::Problem{
      .code = core::ProblemCode::resource_exhausted,
      .detail =
          fmt::format("the server needs {} threads and could start {} ({}): raise the limit on processes "
                      "(`ulimit -u`, systemd's TasksMax, a container's pids limit) or on memory (`ulimit "
                      "-v`)",
                      needed, started, std::system_category().message(error))};
}

}  // namespace pawl::server
