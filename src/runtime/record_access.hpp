#pragma once
// Reads, lists and changes records, for the calls of LocalApi. Thread-safe like its CommandCaller.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/page.hpp"
#include "core/records/record.hpp"
#include "runtime/command_caller.hpp"
#include "runtime/record_cache.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

// A page of the stored records of one kind, and the store's time when it was read.
struct RecordPageNow {
  std::vector<core::Record> records = {};
  std::optional<std::string> next_cursor = {};
  core::TimePoint now = {};
};

class RecordAccess {
 public:
  RecordAccess(store::Store& store, CommandCaller& caller, RecordCache& cache)
      : store_(store), caller_(caller), cache_(cache) {}

  // The stored record.
  core::Result<RecordNow> find(const core::RecordRef& ref);
  // The same, possibly from the cache.
  core::Result<RecordNow> recent(const core::RecordRef& ref);
  // Only from the cache.
  [[nodiscard]] std::optional<RecordNow> cached(const core::RecordRef& ref) {
    return cache_.find_cached(ref);
  }
  // In the order of the keys.
  core::Result<RecordPageNow> list(core::RecordKind kind, const std::string& ns,
                                   const core::ListRecords& list);

  core::Result<core::RecordAnswer> change(core::ChangeRecords command);
  // Checks the request, and lets `decide` read and change the records. The command holds a copy of the
  // request, since a group may be tried again.
  template <typename Request>
  core::Result<core::RawJson> decide_on(const std::vector<core::RecordRef>& refs, const Request& request,
                                        core::Result<core::RecordDecision> (*decide)(const Request&,
                                                                                     core::FoundRecords,
                                                                                     core::TimePoint)) {
    if (const core::Status valid = check(request); !valid) return valid.problem();
    auto answer =
        change({.refs = refs, .decide = [request, decide](core::FoundRecords found, core::TimePoint now) {
                  return decide(request, found, now);
                }});
    if (!answer) return answer.problem();
    return std::move(answer->body);
  }

 private:
  store::Store& store_;
  CommandCaller& caller_;
  RecordCache& cache_;
};

}  // namespace pawl::runtime
