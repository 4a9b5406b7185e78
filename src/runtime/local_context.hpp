#pragma once
// The parts that the calls of one LocalApi share.

#include <memory>
#include <utility>

#include "core/base/env.hpp"
#include "engine/id_source.hpp"
#include "engine/lease_notices.hpp"
#include "engine/plans.hpp"
#include "engine/run_watch.hpp"
#include "runtime/admission.hpp"
#include "runtime/command_caller.hpp"
#include "runtime/local_options.hpp"
#include "runtime/promised_ids.hpp"
#include "runtime/record_access.hpp"
#include "runtime/record_cache.hpp"
#include "runtime/run_reader.hpp"
#include "runtime/task_reader.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

struct LocalCaches {
  LocalCaches(const store::Store& store, core::Clock& clock, core::Random& random)
      : ids(random), records(clock, [&store] { return store.life(); }) {}

  engine::IdSource ids;
  RecordCache records;
  engine::Plans plans;
};

// The commits of this process's engine that waiting calls follow; null: none.
struct Subscriptions {
  engine::RunWatch* watch = nullptr;
  engine::LeaseNotices* notices = nullptr;
};

struct LocalContext {
  LocalContext(store::Store& its_store, core::Clock& its_clock, core::Random& random,
               CommandCaller::Submit submit, LocalApiOptions its_options)
      : store(its_store),
        clock(its_clock),
        options(its_options),
        caches(std::make_shared<LocalCaches>(store, clock, random)),
        caller(std::move(submit)) {}
  // The same for one idempotent call.
  LocalContext(const LocalContext& whole, core::DoOnce key)
      : store(whole.store),
        clock(whole.clock),
        options(whole.options),
        caches(whole.caches),
        subscriptions(whole.subscriptions),
        promised(whole.promised),
        caller(whole.caller, std::move(key)) {}
  LocalContext(const LocalContext&) = delete;
  LocalContext& operator=(const LocalContext&) = delete;
  ~LocalContext() = default;

  store::Store& store;
  core::Clock& clock;
  const LocalApiOptions options;
  const std::shared_ptr<LocalCaches> caches;  // shared with the contexts of idempotent calls
  Subscriptions subscriptions = {};
  PromisedIds promised = {};
  CommandCaller caller;
  RecordAccess records{store, caller, caches->records};
  TaskReader tasks{store, promised};
  RunReader runs{store, promised, caches->plans};
  Admission admission{store, records, runs, options};
};

// The base of LocalApi that has its context: a member would not exist yet when the other bases refer to it.
struct WithLocalContext {
  LocalContext context;
};

}  // namespace pawl::runtime
