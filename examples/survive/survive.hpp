#pragma once
// A demo of Pawl: work continues although a worker is killed.

#include <string>

namespace pawl::examples {

inline constexpr int kTasks = 2'000;
inline constexpr const char* kQueue = "mail";

// A worker process: claims, "works", completes, until the queue is empty.
int run_worker(const std::string& name, const std::string& file);

// The terminal's side: enqueues, starts two workers, kills one, watches, and prints the final account.
int run_show(const std::string& program);

}  // namespace pawl::examples
