#include "cli/token_keeper.hpp"

#include <fmt/format.h>

#include "client/raw_json.hpp"
#include "core/base/limits.hpp"
#include "core/base/sha256.hpp"
#include "server/secrets.hpp"

namespace pawl::cli {

namespace {

constexpr auto kTokens = "/v1/admin/tokens";

// How the audit log names a caller with direct access to the database.
core::Actor whoever_has_the_store() { return {.id = "store", .role = "admin"}; }

void add_time(client::ObjectText& object, const char* name, const std::optional<core::TimePoint>& time) {
  if (time) {
    object.text(name, core::format_time(*time));
  } else {
    object.raw(name, "null");
  }
}

client::ObjectText shown(const core::Token& token) {
  client::ObjectText object;
  object.text("id", token.id)
      .text("role", core::to_string(token.role))
      .raw("namespaces", client::array_text(token.namespaces))
      .raw("queues", client::array_text(token.queues))
      .text("name", token.name)
      .text("created_at", core::format_time(token.created_at));
  add_time(object, "expires_at", token.expires_at);
  add_time(object, "revoked_at", token.revoked_at);
  add_time(object, "rotated_at", token.rotated_at);
  add_time(object, "previous_until", token.previous_until);
  add_time(object, "last_used_at", token.last_used_at);
  return object;
}

using server::random_bytes;

std::string new_secret() {
  return core::base62(random_bytes(2 * core::kTokenSecretLengthMin), core::kTokenSecretLengthMin);
}

core::TokenText drawn(core::Role role) {
  return {.role = role,
          .id = core::base62(random_bytes(2 * core::kTokenIdLength), core::kTokenIdLength),
          .secret = new_secret()};
}

}  // namespace

core::Result<std::string> ServerTokens::create(const NewToken& token) {
  client::ObjectText body;
  body.text("role", core::to_string(token.role)).raw("namespaces", client::array_text(token.namespaces));
  if (!token.queues.empty()) body.raw("queues", client::array_text(token.queues));
  if (!token.name.empty()) body.text("name", token.name);
  if (token.expires_at) body.text("expires_at", core::format_time(*token.expires_at));
  const auto answer = session_.post(kTokens, body.str());
  if (!answer) return answer.problem();
  if (const auto json = json_of(*answer); !json) return json.problem();
  return answer->body;
}

core::Status ServerTokens::each(const std::function<void(std::string_view)>& take) {
  return each_item(session_, kTokens, "", 0, take);
}

core::Status ServerTokens::revoke(const std::string& id) {
  const auto answer = session_.remove(std::string{kTokens} + "/" + client::percent_encoded(id));
  return answer ? core::Status{core::Done{}} : answer.problem();
}

core::Result<std::string> ServerTokens::rotate(const std::string& id, core::Duration overlap) {
  client::ObjectText body;
  body.text("overlap", core::format_duration(overlap));
  const auto answer =
      session_.post(fmt::format("{}/{}/rotate", kTokens, client::percent_encoded(id)), body.str());
  if (!answer) return answer.problem();
  if (const auto json = json_of(*answer); !json) return json.problem();
  return answer->body;
}

core::Result<std::string> StoreTokens::create(const NewToken& token) {
  const auto text = drawn(token.role);
  const auto made = api_.create_token({.id = text.id,
                                       .secret_hash = core::sha256_hex(text.secret),
                                       .role = token.role,
                                       .namespaces = token.namespaces,
                                       .queues = token.queues,
                                       .name = token.name,
                                       .expires_at = token.expires_at,
                                       .by = whoever_has_the_store()});
  if (!made) return made.problem();
  return shown(*made).text("token", core::format_token(text)).str();
}

core::Status StoreTokens::each(const std::function<void(std::string_view)>& take) {
  core::ListRecords list{.limit = core::kPageMax};
  do {
    const auto page = api_.list_tokens(list);
    if (!page) return page.problem();
    for (const core::Token& token : page->items) take(shown(token).str());
    list.cursor = page->next_cursor.value_or("");
  } while (!list.cursor.empty());
  return core::Done{};
}

core::Result<std::string> StoreTokens::rotate(const std::string& id, core::Duration overlap) {
  const auto before = api_.find_token(id);
  if (!before) return before.problem();
  const core::TokenText text{.role = before->token.role, .id = id, .secret = new_secret()};
  const auto token = api_.rotate_token({.id = id,
                                        .secret_hash = core::sha256_hex(text.secret),
                                        .overlap = overlap,
                                        .by = whoever_has_the_store()});
  if (!token) return token.problem();
  return shown(*token).text("token", core::format_token(text)).str();
}

core::Status StoreTokens::revoke(const std::string& id) {
  const auto revoked = api_.revoke_token({.id = id, .by = whoever_has_the_store()});
  return revoked ? core::Status{core::Done{}} : revoked.problem();
}

}  // namespace pawl::cli
