// pawl verify: checks a store's invariants, through its server or directly.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/store_api.hpp"
#include "client/http_api.hpp"
#include "client/raw_json.hpp"

namespace pawl::cli {

namespace {

// The store does not know its server's configuration, so only the namespaces' own retention settings are
// checked.
constexpr core::Retention kOnlyNamespaces{
    .tasks = core::kDurationMax, .runs = core::kDurationMax, .audit = core::kDurationMax};

core::Result<core::Verification> verify_store(const std::string& store, Context& context) {
  const auto opened = StoreApi::open(context, store, {.retention = kOnlyNamespaces});
  if (!opened) return opened.problem();
  return (*opened)->api().verify();
}

template <typename Items, typename Text>
std::string list_text(const Items& items, Text text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + text_of(item);
  return "[" + text + "]";
}

std::string violation_text(const core::Violation& violation) {
  return client::ObjectText{}.text("object", violation.object).text("message", violation.message).str();
}

std::string verdict_text(const core::Verdict& verdict) {
  client::ObjectText object;
  object.text("id", verdict.id).number("examined", verdict.examined);
  if (verdict.examined == 0) object.raw("vacuous", "true");
  return object.raw("violations", list_text(verdict.violations, violation_text)).str();
}

void print_json(const core::Verification& verification, Context& context) {
  context.out.line(client::ObjectText{}
                       .raw("ok", verification.is_ok() ? "true" : "false")
                       .raw("checks", list_text(verification.checks, verdict_text))
                       .str());
}

void print(const core::Verification& verification, Context& context) {
  std::vector<std::vector<Cell>> rows;
  for (const core::Verdict& verdict : verification.checks) {
    Cell outcome{.text = "ok", .colour = Colour::green};
    if (verdict.examined == 0) outcome = {.text = "nothing to look at", .colour = Colour::yellow};
    if (!verdict.violations.empty())
      outcome = {.text = fmt::format("{} violated", verdict.violations.size()), .colour = Colour::red};
    rows.push_back({{.text = verdict.id}, {.text = std::to_string(verdict.examined)}, outcome});
  }
  context.out.table({{"CHECK"}, {"EXAMINED", true}, {"VERDICT"}}, rows);
  for (const core::Verdict& verdict : verification.checks) {
    for (const core::Violation& one : verdict.violations)
      context.out.line(fmt::format("{} {}: {}", verdict.id, one.object, one.message));
  }
}

int tell(const core::Verification& verification, Context& context, const Input& input) {
  if (input.has("--json")) {
    print_json(verification, context);
  } else {
    print(verification, context);
  }
  return verification.is_ok() ? 0 : 1;
}

int verify(Context& context, const Input& input) {
  if (input.has("--store")) {
    const auto verified = verify_store(input.text("--store"), context);
    return verified ? tell(*verified, context, input)
                    : context.out.problem("pawl verify", verified.problem());
  }
  const auto target = checked_target_of(input);
  if (!target) return context.out.problem("pawl verify", target.problem());
  const auto verified = client::HttpApi{*target, context.random}.verify();
  return verified ? tell(*verified, context, input)
                  : tell_failed_call(context, "pawl verify", *target, verified.problem());
}

}  // namespace

Command verify_command() {
  return {.path = "verify",
          .summary = "Check a store's invariants; exit code 1 if one is violated",
          .flags = with_server_flags({{.name = "--store",
                                       .value = "STORE",
                                       .summary = "Look at this store, and not through the server",
                                       .variable = "PAWL_STORE"}}),
          .example = "pawl verify --store sqlite:pawl.db",
          .handler = verify};
}

}  // namespace pawl::cli
