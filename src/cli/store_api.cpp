#include "cli/store_api.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/store_option.hpp"
#include "client/migrate_store.hpp"

namespace pawl::cli {

namespace {

core::Status check_current(const client::StoreAddress& address) {
  if (address.type == client::StoreType::memory)
    return core::invalid_field("store", "is in the memory of its process: no other can reach it");
  const auto states = client::store_migrations(address);
  const bool is_current = std::all_of(states.begin(), states.end(),
                                      [](const auto& state) { return state.applied_at.has_value(); });
  if (is_current) return core::Done{};
  return core::Problem{.code = core::ProblemCode::unavailable,
                       .detail = "the store's schema is not up to date: run `pawl migrate`"};
}

}  // namespace

core::Result<std::unique_ptr<StoreApi>> StoreApi::open(Context& context, const std::string& store,
                                                       runtime::LocalApiOptions options) {
  const auto address = store_named(context, store);
  if (!address) return address.problem();
  if (const core::Status current = check_current(*address); !current) return current.problem();
  return std::make_unique<StoreApi>(client::open_store(*address, context.clock, context.random), context,
                                    options);
}

StoreApi::StoreApi(std::unique_ptr<store::Store> store, Context& context, runtime::LocalApiOptions options)
    : store_(std::move(store)),
      engine_(*store_, context.clock, context.random),
      api_(
          *store_, context.clock, context.random,
          [this](core::Command&& command, core::Reply&& reply) {
            std::vector<engine::Request> one;
            one.push_back({.command = std::move(command), .reply = std::move(reply)});
            engine_.execute(std::move(one));
          },
          options) {}

}  // namespace pawl::cli
