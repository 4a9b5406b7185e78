#pragma once
// How many requests a second one token and one namespace may make. A second's worth may come at once; after
// that they come as the rate allows.
//
// Always: memory is bounded. Any thread.

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/env.hpp"
#include "core/result.hpp"

namespace pawl::server {

class RequestRates {
 public:
  static constexpr std::size_t kBucketsMax = 10'000;

  struct Caps {  // a second; 0: any number
    std::int64_t of_one_namespace = 0;
    std::int64_t of_one_token = 0;
  };
  RequestRates(core::Clock& clock, const Caps& caps) : clock_(clock), caps_(caps) {}

  // resource_exhausted that names the setting when there were too many. An empty name has no limit.
  [[nodiscard]] core::Status take(const std::string& ns, const std::string& token);
  [[nodiscard]] std::size_t buckets() const;

 private:
  struct Bucket {
    double requests = 0;  // that may come now
    core::MonotonicTime at = {};
  };
  using Buckets = std::map<std::string, Bucket>;

  // With the lock.
  [[nodiscard]] bool take(Buckets& buckets, const std::string& name, std::int64_t rate);

  core::Clock& clock_;
  const Caps caps_;
  mutable std::mutex mutex_;
  Buckets of_namespace_;
  Buckets of_token_;
};

}  // namespace pawl::server
