#pragma once
// The open event streams of a server, limited per token, per namespace and in total.

#include <memory>

#include "server/places.hpp"

namespace pawl::server {

class EventStreams {
 public:
  static constexpr Places::Caps kCaps{.all = 256, .of_one_namespace = 192, .of_one_token = 64};
  static constexpr std::size_t kBufferBytesMax = 1U << 20U;

  explicit EventStreams(const Places::Caps& caps = kCaps)
      : places_({.what = "event streams", .setting = "limits.streams"}, caps) {}

  [[nodiscard]] core::Result<std::shared_ptr<EventStream>> open(const Request& request) {
    auto place = places_.take(request.ns, request.actor.id);
    if (!place) return place.problem();
    return std::make_shared<EventStream>(kBufferBytesMax, std::move(*place));
  }

 private:
  Places places_;
};

}  // namespace pawl::server
