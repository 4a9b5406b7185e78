// pawl token: access tokens. The secret is shown once, when it is made.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

constexpr auto kTokens = "/v1/admin/tokens";

std::vector<std::string> namespaces_of(const Input& input) {
  auto namespaces = input.all("--for");
  if (namespaces.empty()) namespaces.push_back(input.text("--namespace"));
  return namespaces;
}

int create_token(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    client::ObjectText body;
    body.text("role", input.text("--role")).raw("namespaces", client::array_text(namespaces_of(input)));
    if (input.has("--queue")) body.raw("queues", client::array_text(input.all("--queue")));
    if (input.has("--name")) body.text("name", input.text("--name"));
    if (input.has("--expires-at")) body.text("expires_at", input.text("--expires-at"));
    const auto answer = session.post(kTokens, body.str());
    if (!answer) return answer.problem();
    if (input.has("--json")) {
      context.out.line(client::one_line(answer->body));
      return core::Done{};
    }
    const auto token = json_of(*answer);
    if (!token) return token.problem();
    if (!token->contains("token") || token->at("token").is_null()) {
      return core::Problem{
          .code = core::ProblemCode::conflict,
          .detail = "token " + text_at(*token, "id") +
                    " was made, but the answer with its secret was lost: revoke it, and create another"};
    }
    context.out.fields({{"id", {.text = text_at(*token, "id")}},
                        {"token", {.text = text_at(*token, "token"), .colour = Colour::bold}}});
    context.out.line("Keep it now: it is stored hashed and not shown again. Use it as PAWL_TOKEN.");
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
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto answer = session.get(kTokens);
    if (!answer) return answer.problem();
    if (!Json::accept(answer->body)) return json_of(*answer).problem();
    std::vector<std::vector<Cell>> rows;
    for (const auto item : client::raw_elements(client::raw_member(answer->body, "items").value_or("[]"))) {
      if (input.has("--json")) context.out.line(client::one_line(item));
      const auto token = Json::parse(item);
      rows.push_back({{.text = text_at(token, "id")},
                      {.text = text_at(token, "name")},
                      {.text = text_at(token, "role")},
                      {.text = joined(token.value("namespaces", Json()))},
                      {.text = text_at(token, "created_at")},
                      {.text = text_at(token, "expires_at")}});
    }
    if (!input.has("--json")) {
      context.out.table({{"ID"}, {"NAME"}, {"ROLE"}, {"NAMESPACES"}, {"CREATED"}, {"EXPIRES"}}, rows);
    }
    return core::Done{};
  });
}

int revoke(Context& context, const Input& input) {
  return with_session(context, input, [&](Session& session) -> core::Status {
    const auto id = input.text("ID");
    const auto answer = session.remove(std::string{kTokens} + "/" + client::percent_encoded(id));
    if (!answer) return answer.problem();
    if (!input.has("--json")) context.out.line("Token " + id + " is revoked.");
    return core::Done{};
  });
}

}  // namespace

std::vector<Command> token_commands() {
  return {{.path = "token create",
           .summary = "Make a token; with the first one every call needs one",
           .flags = with_server_flags(
               {{.name = "--role",
                 .value = "ROLE",
                 .summary = "What it may do",
                 .kind = ValueKind::choice,
                 .fallback = "viewer",
                 .choices = {"viewer", "worker", "operator", "admin"}},
                {.name = "--for",
                 .value = "NAMESPACE",
                 .summary = "Valid in this namespace, '*' in all; that of --namespace if not given",
                 .repeated = true},
                {.name = "--queue", .value = "NAME", .summary = "Only for this queue", .repeated = true},
                {.name = "--name", .value = "TEXT", .summary = "To know it by"},
                {.name = "--expires-at",
                 .value = "TIME",
                 .summary = "Not valid after",
                 .kind = ValueKind::time}}),
           .example = "pawl token create --role worker --namespace orders",
           .handler = create_token},
          {.path = "token list",
           .summary = "List tokens, without their secrets",
           .flags = server_flags(),
           .example = "pawl token list",
           .handler = list_tokens},
          {.path = "token revoke",
           .summary = "Revoke a token at once",
           .arguments = {{.name = "ID", .summary = "The token's id"}},
           .flags = server_flags(),
           .example = "pawl token revoke 0198c0de-0000-7000-8000-000000000000",
           .handler = revoke}};
}

}  // namespace pawl::cli
