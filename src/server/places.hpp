#pragma once
// Limits how many of a resource (event streams, long polls) callers hold at the same time: per token, per
// namespace and in total. A place is freed when it is released or destroyed, which may be after its `Places`
// is destroyed.
//
// The number of taken places bounds memory. Thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "server/request.hpp"

namespace pawl::server {

class Places {
 public:
  struct Caps {
    int all = 0;
    int of_one_namespace = 0;
    int of_one_token = 0;
  };
  // How a refusal names the resource and its limits: `setting`, and `setting` with the suffixes
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
    // Frees the place; further calls have no effect. Not thread-safe.
    void release();

   private:
    std::function<void()> give_back_;
  };

  // resource_exhausted that names the setting if no place is free. Before the first token is created, `token`
  // is empty and only the namespace and total limits apply.
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
  std::shared_ptr<Taken> taken_;  // shared with the places
};

// An answer that releases the place before it replies.
[[nodiscard]] Answer releasing(std::shared_ptr<Places::Place> place, Answer answer);

}  // namespace pawl::server
