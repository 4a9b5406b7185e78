#pragma once
// Checks conditions that only a bug in Pawl can break: prints the place and the reason, then aborts. Also
// active in release builds.

namespace pawl::core {

[[noreturn]] void ensure_failed(const char* file, int line, const char* why);

// Prints the failure as JSON, for a process that logs JSON.
void write_failures_as_json();

}  // namespace pawl::core

// A macro, so that the message contains file and line; `why` states why the condition must hold.
#define PAWL_ENSURE(condition, why) \
  ((condition) ? static_cast<void>(0) : ::pawl::core::ensure_failed(__FILE__, __LINE__, why))
