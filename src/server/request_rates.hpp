#pragma once
// Limits the requests per second of a token and of a namespace. Bursts of up to one second's worth are
// allowed.
//
// The number of buckets bounds memory. Thread-safe.

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/env.hpp"
#include "core/base/result.hpp"

namespace pawl::server {

class RequestRates {
 public:
  static constexpr std::size_t kBucketsMax = 10'000;

  struct Caps {  // per second; 0: unlimited
    std::int64_t of_one_namespace = 0;
    std::int64_t of_one_token = 0;
  };
  RequestRates(core::Clock& clock, const Caps& caps) : clock_(clock), caps_(caps) {}

  // resource_exhausted that names the setting if the rate is exceeded. An empty name has no limit.
  [[nodiscard]] core::Status take(const std::string& ns, const std::string& token);
  [[nodiscard]] std::size_t buckets() const;

 private:
  struct Bucket {
    double requests = 0;  // currently available
    core::MonotonicTime at = {};
  };
  using Buckets = std::map<std::string, Bucket>;

  // Needs the lock.
  [[nodiscard]] bool take(Buckets& buckets, const std::string& name, std::int64_t rate);

  core::Clock& clock_;
  const Caps caps_;
  mutable std::mutex mutex_;
  Buckets of_namespace_;
  Buckets of_token_;
};

}  // namespace pawl::server
