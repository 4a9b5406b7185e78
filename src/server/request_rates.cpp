#include "server/request_rates.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::server {

namespace {

constexpr core::Duration kSecond = std::chrono::seconds{1};

core::Problem too_many(std::string_view setting, std::string_view whose, std::string_view name,
                       std::int64_t rate) {
  return {
      .code = core::ProblemCode::resource_exhausted,
      .detail = fmt::format("{}: {} {} made more than {} requests in a second", setting, whose, name, rate)};
}

}  // namespace

bool RequestRates::take(Buckets& buckets, const std::string& name, std::int64_t rate) {
  const core::MonotonicTime now = clock_.monotonic();
  // A bucket unused for a second is full, like a new one, so it can be dropped.
  if (buckets.size() >= kBucketsMax && !buckets.contains(name))
    std::erase_if(buckets, [&](const auto& entry) { return now - entry.second.at >= kSecond; });
  if (buckets.size() >= kBucketsMax && !buckets.contains(name)) return false;
  const auto [found, is_new] = buckets.try_emplace(name, Bucket{.at = now});
  Bucket& bucket = found->second;
  const auto most = static_cast<double>(rate);
  const auto passed = std::chrono::duration<double>(now - bucket.at).count();
  bucket.requests = is_new ? most : std::min(most, bucket.requests + passed * most);
  bucket.at = now;
  if (bucket.requests < 1) return false;
  bucket.requests -= 1;
  return true;
}

core::Status RequestRates::take(const std::string& ns, const std::string& token) {
  const bool counts_token = caps_.of_one_token > 0 && !token.empty();
  const bool counts_namespace = caps_.of_one_namespace > 0 && !ns.empty();
  if (!counts_token && !counts_namespace) return core::Done{};
  const std::lock_guard lock{mutex_};
  if (counts_token && !take(of_token_, token, caps_.of_one_token))
    return too_many("limits.requests_per_token", "token", token, caps_.of_one_token);
  if (counts_namespace && !take(of_namespace_, ns, caps_.of_one_namespace))
    return too_many("limits.requests_per_namespace", "namespace", ns, caps_.of_one_namespace);
  return core::Done{};
}

std::size_t RequestRates::buckets() const {
  const std::lock_guard lock{mutex_};
  return of_namespace_.size() + of_token_.size();
}

}  // namespace pawl::server
