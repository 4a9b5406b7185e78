// Declared types, tokens, the settings of namespaces and the audit log.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class Administration : public Conformance {
 public:
  static core::CreateToken token(const std::string& id) {
    return {.id = id,
            .secret_hash = "hash",
            .role = core::Role::supervisor,
            .namespaces = {"default", "other"},
            .name = "ci",
            .by = {.id = "root00000000", .role = "admin", .request_id = "r1"}};
  }
};

TEST_P(Administration, KeepsDeclaredTypes) {
  const core::TaskType type{.name = "mail",
                            .required = {"to"},
                            .schema = {R"({"properties":{"n":{"type":"integer"}}})"},
                            .queue = "mails",
                            .priority = -3,
                            .retry = core::RetryPolicy{.max_attempts = 7, .non_retryable = {"bad"}},
                            .timeout = 5s,
                            .lease = 1min};
  EXPECT_EQ(*api().put_type({.type = type}), type);
  EXPECT_EQ(*api().get_type("default", "mail"), type);
  EXPECT_EQ(api().get_type("other", "mail").problem().code, ProblemCode::not_found);
  ASSERT_TRUE(api().put_type({.type = {.name = "a"}}).ok());
  EXPECT_EQ(api().list_types({})->items, (std::vector<core::TaskType>{{.name = "a"}, type}));
  ASSERT_TRUE(api().delete_type({.name = "mail"}).ok());
  EXPECT_EQ(api().delete_type({.name = "mail"}).problem().code, ProblemCode::not_found);
  EXPECT_EQ(
      api().put_type({.type = {.name = "x", .schema = {R"({"pattern":"a"})"}}}).problem().errors.at(0).field,
      "schema.pattern");
}

TEST_P(Administration, RejectsASchemaThatIsTooLarge) {
  const std::string schema = R"({"enum":[")" + std::string(core::kSchemaBytesMax, 'x') + "\"]}";
  EXPECT_EQ(api().put_type({.type = {.name = "wide", .schema = {schema}}}).problem().code,
            ProblemCode::payload_too_large);
  EXPECT_EQ(api().get_type("default", "wide").problem().code, ProblemCode::not_found);
}

TEST_P(Administration, ComparesPayloadsWithASchemaThatHasChanged) {
  core::TaskSpec spec{.type = "typed", .payload = {R"({"n":1})"}};
  ASSERT_TRUE(
      api().put_type({.type = {.name = "typed", .schema = {R"({"properties":{"n":{"enum":[1]}}})"}}}).ok());
  EXPECT_TRUE(api().enqueue("default", spec).ok());
  spec.payload = {R"({"n":2})"};
  EXPECT_EQ(api().enqueue("default", spec).problem().errors.at(0).field, "payload.n");
  ASSERT_TRUE(
      api().put_type({.type = {.name = "typed", .schema = {R"({"properties":{"n":{"enum":[2]}}})"}}}).ok());
  EXPECT_TRUE(api().enqueue("default", spec).ok());
  ASSERT_TRUE(api().delete_type({.name = "typed"}).ok());
  spec.payload = {"3"};
  EXPECT_TRUE(api().enqueue("default", spec).ok());
}

TEST_P(Administration, KeepsTokensAndTheirCreators) {
  const auto created = api().create_token(token("aaaaaaaaaaaa"));
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->created_at, clock.now());
  EXPECT_EQ(api().find_token("aaaaaaaaaaaa")->token, *created);
  EXPECT_EQ(api().find_token("aaaaaaaaaaaa")->now, clock.now());
  EXPECT_EQ(api().create_token(token("aaaaaaaaaaaa")).problem().code, ProblemCode::conflict);
  ASSERT_TRUE(api().create_token(token("bbbbbbbbbbbb")).ok());
  EXPECT_EQ(api().list_tokens({})->items.size(), 2U);
  clock.advance(1s);
  EXPECT_EQ(api().revoke_token({.id = "aaaaaaaaaaaa"})->revoked_at, clock.now());
  EXPECT_EQ(api().find_token("aaaaaaaaaaaa")->token.revoked_at, clock.now());
  EXPECT_EQ(api().revoke_token({.id = "cccccccccccc"}).problem().code, ProblemCode::not_found);

  const auto audit = api().list_audit({});
  ASSERT_EQ(audit->items.size(), 3U) << "what was refused changed nothing";
  EXPECT_EQ(audit->items[0].action, "token.revoke");
  EXPECT_EQ(audit->items[0].at, clock.now());
  EXPECT_EQ(audit->items[2].action, "token.create");
  EXPECT_EQ(audit->items[2].object, "aaaaaaaaaaaa");
  EXPECT_EQ(audit->items[2].actor, "root00000000");
  EXPECT_EQ(audit->items[2].request_id, "r1");
}

TEST_P(Administration, RotatesTheSecretOfATokenAndKeepsThePreviousOne) {
  ASSERT_TRUE(api().create_token(token("aaaaaaaaaaaa")).ok());
  clock.advance(1s);
  const auto rotated = api().rotate_token({.id = "aaaaaaaaaaaa", .secret_hash = "new", .overlap = 1h});
  ASSERT_TRUE(rotated.ok());
  EXPECT_EQ(rotated->rotated_at, clock.now());
  EXPECT_EQ(rotated->previous_until, clock.now() + 1h);
  const core::FoundToken found = *api().find_token("aaaaaaaaaaaa");
  EXPECT_EQ(found.token, *rotated);
  for (const auto* hash : {"hash", "new"}) EXPECT_TRUE(core::authenticate(found.token, hash, found.now).ok());
  clock.advance(1h);
  const core::FoundToken later = *api().find_token("aaaaaaaaaaaa");
  EXPECT_FALSE(core::authenticate(later.token, "hash", later.now).ok());
  EXPECT_TRUE(core::authenticate(later.token, "new", later.now).ok());
  EXPECT_EQ(api().rotate_token({.id = "cccccccccccc", .secret_hash = "new"}).problem().code,
            ProblemCode::not_found);
  EXPECT_EQ(api().list_audit({})->items.at(0).action, "token.rotate");
}

TEST_P(Administration, FindsEntriesOfTheAudit) {
  const auto add = [&](core::AuditEntry entry) { ASSERT_TRUE(api().append_audit({std::move(entry)}).ok()); };
  add({.ns = "a", .actor = "ada", .action = "queue.set", .object = "q"});
  add({.ns = "b", .actor = "bob", .action = "queue.set", .object = "q", .outcome = "forbidden"});
  clock.advance(1h);
  add({.ns = "a", .actor = "bob", .action = "token.create", .object = "t"});
  add({.ns = "", .actor = "ada", .action = "token.revoke", .object = "t"});
  const auto found = [&](const core::AuditFilter& filter) {
    const auto page = api().list_audit({.filter = filter});
    std::string actors;
    for (const core::AuditEntry& entry : page->items) actors += entry.actor + entry.ns + " ";
    return actors;
  };
  EXPECT_EQ(found({}), "ada boba bobb adaa ");
  EXPECT_EQ(found({.namespaces = {"a"}}), "boba adaa ");
  EXPECT_EQ(found({.namespaces = {"a", "b"}}), "boba bobb adaa ");
  EXPECT_EQ(found({.actor = "bob"}), "boba bobb ");
  EXPECT_EQ(found({.action = "token.create"}), "boba ");
  EXPECT_EQ(found({.action = "token.*"}), "ada boba ");
  EXPECT_EQ(found({.object = "q", .outcome = "ok"}), "adaa ");
  EXPECT_EQ(found({.created_after = clock.now()}), "ada boba ");
  EXPECT_EQ(found({.created_before = clock.now()}), "bobb adaa ");
}

TEST_P(Administration, FindsEntriesOfTheAuditByPages) {
  std::vector<core::AuditEntry> entries;
  for (int i = 0; i < 1'200; ++i) entries.push_back({.action = i % 400 == 0 ? "rare" : "common"});
  ASSERT_TRUE(api().append_audit(entries).ok());
  const core::AuditFilter rare{.action = "rare"};
  const auto first = api().list_audit({.limit = 2, .filter = rare});
  ASSERT_EQ(first->items.size(), 2U);
  ASSERT_TRUE(first->next_cursor);
  const auto second = api().list_audit({.limit = 2, .cursor = *first->next_cursor, .filter = rare});
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].sequence, 1);
  EXPECT_EQ(second->next_cursor, std::nullopt);
}

TEST_P(Administration, ReadsNoMoreThanALimitedPartOfTheAuditPerPage) {
  const std::vector<core::AuditEntry> common(2'600, {.action = "common"});
  ASSERT_TRUE(api().append_audit({{.action = "rare"}}).ok());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(api().append_audit(common).ok());
  const core::AuditFilter rare{.action = "rare"};
  const auto first = api().list_audit({.filter = rare});
  EXPECT_TRUE(first->items.empty());
  ASSERT_TRUE(first->next_cursor) << "it goes on where the read ended";
  const auto second = api().list_audit({.cursor = *first->next_cursor, .filter = rare});
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->next_cursor, std::nullopt);
}

TEST_P(Administration, ListsTheAuditNewestFirstAndByPages) {
  for (const char* action : {"one", "two", "three"})
    ASSERT_TRUE(
        api()
            .append_audit({{.ns = "default", .action = action, .outcome = "forbidden", .detail = {"{}"}}})
            .ok());
  const auto first = api().list_audit({.limit = 2});
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].action, "three");
  EXPECT_EQ(first->items[1].detail.text, "{}");
  const auto second = api().list_audit({.limit = 2, .cursor = *first->next_cursor});
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].action, "one");
  EXPECT_EQ(second->next_cursor, std::nullopt);
  EXPECT_EQ(api().list_audit({.cursor = "x"}).problem().errors.at(0).field, "cursor");
}

TEST_P(Administration, PatchesTheSettingsOfANamespace) {
  EXPECT_EQ(*api().get_namespace("default"), core::NamespaceSettings{});
  ASSERT_TRUE(api().put_namespace({.patch = {.strict_types = true, .payload_max = 1'000}}).ok());
  const auto patched = api().put_namespace({.patch = {.retention_failed = 24h}});
  EXPECT_EQ(*patched,
            (core::NamespaceSettings{.strict_types = true, .payload_max = 1'000, .retention_failed = 24h}));
  ASSERT_TRUE(api().put_namespace({.patch = {.payload_max = std::optional<std::int64_t>{}}}).ok());
  EXPECT_EQ(api().get_namespace("default")->payload_max, std::nullopt);
  EXPECT_EQ(*api().get_namespace("other"), core::NamespaceSettings{});
  EXPECT_EQ(api().put_namespace({.patch = {.payload_max = 0}}).problem().errors.at(0).field, "payload_max");
}

PAWL_ON_EVERY_STORE(Administration);

}  // namespace
}  // namespace pawl::testing
