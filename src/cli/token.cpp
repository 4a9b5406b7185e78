// pawl token: manages access tokens. A secret is shown once, when the token is made.

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/store_api.hpp"
#include "cli/token_keeper.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

using KeeperWork = std::function<core::Status(TokenKeeper&)>;

int with_keeper(Context& context, const Input& input, const KeeperWork& work) {
  if (!input.has("--store")) {
    return with_session(context, input, [&](Session& session) {
      ServerTokens tokens{session};
      return work(tokens);
    });
  }
  const auto opened = StoreApi::open(context, input.text("--store"));
  if (!opened) return context.out.problem("pawl token", opened.problem());
  StoreTokens tokens{(*opened)->api()};
  const auto done = work(tokens);
  return done ? 0 : context.out.problem("pawl token", done.problem());
}

bool is_for_all(const std::vector<std::string>& namespaces) {
  return std::find(namespaces.begin(), namespaces.end(), "*") != namespaces.end();
}

NewToken token_of(const Input& input) {
  NewToken token{.role = core::role_from(input.text("--role")).value_or(core::Role::viewer),
                 .namespaces = input.all("--for"),
                 .queues = input.all("--queue"),
                 .name = input.text("--name"),
                 .expires_at = core::parse_time(input.text("--expires-at"))};
  if (token.namespaces.empty()) token.namespaces.push_back(input.text("--namespace"));
  return token;
}

// Whether the token is valid and can make other tokens for all namespaces.
bool is_way_back(const Json& token, core::TimePoint now) {
  const auto expires_at = core::parse_time(text_at(token, "expires_at"));
  const bool is_valid = text_at(token, "revoked_at").empty() && (!expires_at || now < *expires_at);
  const auto namespaces = token.value("namespaces", std::vector<std::string>{});
  return is_valid && text_at(token, "role") == "admin" && is_for_all(namespaces);
}

// Once any token exists, every call needs one, and only an admin token for all namespaces can make another
// one.
core::Result<bool> leaves_a_way_back(TokenKeeper& keeper, const NewToken& token, const Context& context) {
  bool is_there = token.role == core::Role::admin && is_for_all(token.namespaces);
  if (is_there) return true;
  const auto listed = keeper.each([&](std::string_view item) {
    is_there = is_there || is_way_back(Json::parse(item), context.clock.now());
  });
  if (!listed) return listed.problem();
  return is_there;
}

core::Status show_secret(Context& context, const Input& input, const std::string& made) {
  if (input.has("--json")) {
    context.out.line(client::one_line(made));
    return core::Done{};
  }
  const auto token = Json::parse(made);
  const auto secret = text_at(token, "token");
  if (secret.empty()) {
    return core::Problem{
        .code = core::ProblemCode::conflict,
        .detail = "token " + text_at(token, "id") +
                  " was made, but the answer with its secret was lost: revoke it, and create another"};
  }
  context.out.fields(
      {{"id", {.text = text_at(token, "id")}}, {"token", {.text = secret, .colour = Colour::bold}}});
  context.out.line("Keep it now: it is stored hashed and not shown again. Use it as PAWL_TOKEN.");
  return core::Done{};
}

int create_token(Context& context, const Input& input) {
  return with_keeper(context, input, [&](TokenKeeper& keeper) -> core::Status {
    const NewToken asked = token_of(input);
    const auto has_way_back = leaves_a_way_back(keeper, asked, context);
    if (!has_way_back) return has_way_back.problem();
    const auto made = keeper.create(asked);
    if (!made) return made.problem();
    if (!*has_way_back) {
      context.out.hint(
          "every call needs a token now, and none is an admin's for all namespaces. With access to the store "
          "one can be created: pawl token create --store STORE --role admin --for '*'");
    }
    return show_secret(context, input, *made);
  });
}

int rotate(Context& context, const Input& input) {
  return with_keeper(context, input, [&](TokenKeeper& keeper) -> core::Status {
    const auto overlap = core::parse_duration(input.text("--overlap")).value_or(core::kRotationOverlap);
    const auto made = keeper.rotate(input.text("ID"), overlap);
    if (!made) return made.problem();
    if (const core::Status shown = show_secret(context, input, *made); !shown) return shown;
    if (!input.has("--json"))
      context.out.line("The secret before is valid until " + text_at(Json::parse(*made), "previous_until") +
                       ".");
    return core::Done{};
  });
}

std::string joined(const Json& strings) {
  std::string text;
  if (!strings.is_array()) return text;
  for (const auto& string : strings) {
    text += (text.empty() ? "" : ",") + (string.is_string() ? string.get<std::string>() : string.dump());
  }
  return text;
}

int list_tokens(Context& context, const Input& input) {
  return with_keeper(context, input, [&](TokenKeeper& keeper) -> core::Status {
    std::vector<std::vector<Cell>> rows;
    const auto listed = keeper.each([&](std::string_view item) {
      if (input.has("--json")) return context.out.line(client::one_line(item));
      const auto token = Json::parse(item);
      const auto revoked = text_at(token, "revoked_at");
      rows.push_back({{.text = text_at(token, "id")},
                      {.text = text_at(token, "name")},
                      {.text = text_at(token, "role")},
                      {.text = joined(token.value("namespaces", Json()))},
                      {.text = text_at(token, "created_at")},
                      {.text = text_at(token, "last_used_at")},
                      {.text = revoked.empty() ? text_at(token, "expires_at") : "revoked",
                       .colour = revoked.empty() ? Colour::none : Colour::dim}});
    });
    if (!listed || input.has("--json")) return listed;
    context.out.table({{"ID"}, {"NAME"}, {"ROLE"}, {"NAMESPACES"}, {"CREATED"}, {"LAST USED"}, {"EXPIRES"}},
                      rows);
    return core::Done{};
  });
}

int revoke(Context& context, const Input& input) {
  return with_keeper(context, input, [&](TokenKeeper& keeper) -> core::Status {
    const auto id = input.text("ID");
    if (auto revoked = keeper.revoke(id); !revoked) return revoked;
    if (!input.has("--json")) context.out.line("Token " + id + " is revoked.");
    return core::Done{};
  });
}

// Not read from the environment: a server's PAWL_STORE must not redirect a command for another server to its
// store.
std::vector<Flag> keeper_flags(std::vector<Flag> flags) {
  flags.push_back(
      {.name = "--store",
       .value = "STORE",
       .summary = "In this store and not through the server: needs no token, also where none is left"});
  return with_server_flags(std::move(flags));
}

std::vector<Flag> token_flags() {
  return {{.name = "--role",
           .value = "ROLE",
           .summary = "What it may do",
           .kind = ValueKind::choice,
           .fallback = "viewer",
           .choices = {"enqueuer", "claimer", "viewer", "worker", "operator", "admin"}},
          {.name = "--for",
           .value = "NAMESPACE",
           .summary = "Valid in this namespace, '*' in all; that of --namespace if not given",
           .repeated = true},
          {.name = "--queue", .value = "NAME", .summary = "Only for this queue", .repeated = true},
          {.name = "--name", .value = "TEXT", .summary = "To know it by"},
          {.name = "--expires-at", .value = "TIME", .summary = "Not valid after", .kind = ValueKind::time}};
}

}  // namespace

std::vector<Command> token_commands() {
  return {
      {.path = "token create",
       .summary = "Create a token; once a token exists every call needs one, so create an admin token first",
       .flags = keeper_flags(token_flags()),
       .example = "pawl token create --role worker --namespace orders",
       .handler = create_token},
      {.path = "token list",
       .summary = "List tokens, without their secrets",
       .flags = keeper_flags({}),
       .example = "pawl token list",
       .handler = list_tokens},
      {.path = "token revoke",
       .summary = "Revoke a token at once",
       .arguments = {{.name = "ID", .summary = "The token's id"}},
       .flags = keeper_flags({}),
       .example = "pawl token revoke EKqe5mV2rp07",
       .handler = revoke},
      {.path = "token rotate",
       .summary = "Give a token a new secret; the one before stays valid for a while",
       .arguments = {{.name = "ID", .summary = "The token's id"}},
       .flags = keeper_flags({{.name = "--overlap",
                               .value = "DURATION",
                               .summary = "How long the secret before stays valid",
                               .kind = ValueKind::duration,
                               .fallback = "24h"}}),
       .example = "pawl token rotate EKqe5mV2rp07 --overlap 1h",
       .handler = rotate}};
}

}  // namespace pawl::cli
