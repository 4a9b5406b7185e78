#pragma once
// So many at once of what callers hold (event streams, long polls): of one token, of one namespace and of
// all. A place is free again when it is released or destroyed, which may be after the end of its `Places`.
//
// Always: memory is bounded by the places that are taken. Any thread.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "server/request.hpp"

namespace pawl::server {

class Places {
 public:
  struct Caps {
    int all = 0;
    int of_one_namespace = 0;
    int of_one_token = 0;
  };
  // How a refusal names what is limited, and the settings that limit it: `setting`, and that with
  // _per_namespace and _per_token.
  struct Names {
    std::string_view what;     // "event streams"
    std::string_view setting;  // "limits.streams"
  };

  Places(const Names& names, const Caps& caps);

  class Place {
   public:
    explicit Place(std::function<void()> give_back) : give_back_(std::move(give_back)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { release(); }
    // Once; not from two threads at a time.
    void release();

   private:
    std::function<void()> give_back_;
  };

  // resource_exhausted that names the setting where there is none. Without a token, which is before the first
  // one is made, the namespace's limit counts alone.
  [[nodiscard]] core::Result<std::shared_ptr<Place>> take(const std::string& ns, const std::string& token);

 private:
  struct Taken {
    std::mutex mutex;
    int all = 0;
    std::map<std::string, int> of_namespace;
    std::map<std::string, int> of_token;
  };

  const Names names_;
  const Caps caps_;
  std::shared_ptr<Taken> taken_;  // with the places
};

// The answer, before which the place is released.
[[nodiscard]] Answer releasing(std::shared_ptr<Places::Place> place, Answer answer);

}  // namespace pawl::server
