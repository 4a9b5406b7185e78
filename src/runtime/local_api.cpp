#include "runtime/local_api.hpp"

#include <utility>

namespace pawl::runtime {

LocalApi::LocalApi(store::Store& store, core::Clock& clock, core::Random& random, Submit submit,
                   LocalApiOptions options)
    : WithLocalContext{LocalContext{store, clock, random, std::move(submit), options}},
      LocalTaskApi(context),
      LocalWorkerApi(context),
      LocalRecordApi(context),
      LocalAdminApi(context),
      LocalRunApi(context),
      LocalScheduleApi(context) {}

LocalApi::LocalApi(const LocalApi& whole, core::DoOnce key)
    : WithLocalContext{LocalContext{whole.context, std::move(key)}},
      LocalTaskApi(context),
      LocalWorkerApi(context),
      LocalRecordApi(context),
      LocalAdminApi(context),
      LocalRunApi(context),
      LocalScheduleApi(context) {}

std::unique_ptr<LocalApi> LocalApi::once(core::DoOnce key) {
  return std::unique_ptr<LocalApi>{new LocalApi{*this, std::move(key)}};
}

}  // namespace pawl::runtime
