#include "cli/session.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "client/raw_json.hpp"
#include "core/base/limits.hpp"

namespace pawl::cli {

namespace {

core::Result<std::string> token_in(const std::string& path) {
  constexpr std::size_t kFileBytesMax = 4'096;
  std::ifstream file{path, std::ios::binary};
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (file.bad() || text.empty())
    return core::invalid_field("token-file", fmt::format("cannot read a token from {}", path));
  if (text.size() > kFileBytesMax)
    return core::invalid_field("token-file", fmt::format("{} has more than {} bytes", path, kFileBytesMax));
  const auto end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  if (text.empty()) return core::invalid_field("token-file", fmt::format("{} is empty", path));
  return text;
}

// --token and --token-file exclude each other. Of the variables, PAWL_TOKEN_FILE is read only without a
// token.
core::Result<std::string> access_token(const Input& input) {
  if (!input.has("--token-file")) return input.text("--token");
  if (input.has("--token")) return core::invalid_field("token-file", "give either --token or --token-file");
  return token_in(input.text("--token-file"));
}

}  // namespace

core::Result<client::HttpTarget> target_of(const Input& input) {
  auto address = client::parse_http_address(input.text("--address"));
  if (!address) return address.problem();
  auto token = access_token(input);
  if (!token) return token.problem();
  return client::HttpTarget{.address = *address,
                            .token = *std::move(token),
                            .tls = {.ca_cert = input.text("--ca-cert"),
                                    .cert = input.text("--client-cert"),
                                    .key = input.text("--client-key")}};
}

core::Result<client::HttpTarget> checked_target_of(const Input& input) {
  auto target = target_of(input);
  if (!target || !target->address.tls) return target;
  const auto context = client::make_tls_context(target->tls);
  if (!context) return context.problem();
  return target;
}

core::Result<client::HttpAnswer> Session::call(std::string method, std::string_view path, std::string body,
                                               client::HttpHeaders headers) {
  std::string full = path.starts_with("/v1/") ? std::string{path}
                                              : "/v1/" + client::percent_encoded(ns_) + std::string{path};
  if (method == "POST" && body.empty()) body = "{}";
  auto answer = caller_.send({.method = std::move(method),
                              .path = std::move(full),
                              .body = std::move(body),
                              .headers = std::move(headers)});
  was_answered_ = answer.ok();
  if (answer && answer->status >= 300) return client::problem_of(*answer);
  return answer;
}

int with_session(Context& context, const Input& input, const std::function<core::Status(Session&)>& work) {
  auto target = target_of(input);
  if (!target) return context.out.problem("pawl", target.problem());
  Session session{*target, input.text("--namespace"), context.random};
  const auto status = work(session);
  if (status) return 0;
  return session.was_answered() ? tell_refusal(context, "pawl", status.problem())
                                : context.out.problem("pawl", status.problem());
}

int tell_refusal(Context& context, std::string_view what, const core::Problem& problem) {
  const int code = context.out.refusal(what, problem);
  if (problem.code == core::ProblemCode::unauthorized) {
    context.out.hint(
        "set PAWL_TOKEN (or --token-file). With access to the store one can be created without a token: "
        "pawl token create --store STORE --role admin --for '*'");
  }
  return code;
}

int tell_failed_call(Context& context, std::string_view what, const client::HttpTarget& target,
                     const core::Problem& problem) {
  const bool may_be_away = problem.code == core::ProblemCode::unavailable;
  if (may_be_away && !client::HttpCaller{target, context.random}.send({.path = "/healthz"})) {
    return context.out.problem(what, problem);
  }
  return tell_refusal(context, what, problem);
}

core::Result<Json> json_of(const client::HttpAnswer& answer) {
  auto json = Json::parse(answer.body, nullptr, false);
  if (!json.is_discarded()) return json;
  return core::Problem{.code = core::ProblemCode::internal,
                       .detail = "the server's answer is no JSON; is this address a Pawl server's?"};
}

core::Status print_answer(Context& context, const Input& input,
                          const core::Result<client::HttpAnswer>& answer,
                          const std::function<void(const Json&)>& show) {
  if (!answer) return answer.problem();
  if (input.has("--json")) {
    context.out.line(client::one_line(answer->body));
    return core::Done{};
  }
  const auto json = json_of(*answer);
  if (!json) return json.problem();
  show(*json);
  return core::Done{};
}

std::int64_t number_at(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string text_at(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

core::Status each_item(Session& session, const std::string& path, const std::string& query,
                       std::int64_t limit, const std::function<void(std::string_view)>& take) {
  std::string cursor;
  std::int64_t taken = 0;
  std::int64_t page_max = core::kPageMax;
  bool has_more = true;
  while (has_more) {
    const auto page = limit == 0 ? page_max : std::min(limit - taken, page_max);
    auto answer =
        session.get(fmt::format("{}?limit={}{}{}", path, page, query,
                                cursor.empty() ? "" : "&cursor=" + client::percent_encoded(cursor)));
    if (!answer && answer.problem().code == core::ProblemCode::payload_too_large && page > 1) {
      page_max = page / 2;  // these items are large: request fewer
      continue;
    }
    if (!answer) return answer.problem();
    if (!Json::accept(answer->body)) return json_of(*answer).problem();
    const auto items = client::raw_member(answer->body, "items").value_or("[]");
    for (const auto item : client::raw_elements(items)) {
      take(item);
      ++taken;
    }
    const auto next = Json::parse(client::raw_member(answer->body, "next_cursor").value_or("null"));
    cursor = next.is_string() ? next.get<std::string>() : "";
    has_more = !cursor.empty() && (limit == 0 || taken < limit);
  }
  return core::Done{};
}

}  // namespace pawl::cli
