#pragma once
// What cannot be, unless we have a bug: prints where and why, then aborts. On in release builds.

namespace pawl::core {

[[noreturn]] void ensure_failed(const char* file, int line, const char* why);

}  // namespace pawl::core

// A macro only so that the message can say where; `why` says why the condition must hold.
#define PAWL_ENSURE(condition, why) \
  ((condition) ? static_cast<void>(0) : ::pawl::core::ensure_failed(__FILE__, __LINE__, why))
