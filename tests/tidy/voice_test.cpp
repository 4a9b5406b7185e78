// Comments, documents, user-visible texts and test names use plain technical English: lists of banned
// phrases, each with what to write instead. The lists grow whenever a review finds another one.
#include <array>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

struct Phrase {
  const char* pattern;
  const char* instead;
};

constexpr std::array kPhrases{
    Phrase{"whoever|whomever", "name the actor: a client, a worker, a node"},
    Phrase{"whom|whose sake", "name the actor"},
    Phrase{"somebody|someone", "name the actor"},
    Phrase{"nobody|no one", "no client, no worker, no node"},
    Phrase{"anybody", "any client, any caller"},
    Phrase{"everybody", "all clients, all callers"},
    Phrase{"strangers?", "untrusted input, outside callers"},
    Phrase{"in vain", "fails, finds nothing"},
    Phrase{"unhurried(ly)?", "at a bounded rate"},
    Phrase{"(is|are|was|were|be|been) told", "is notified, receives a reply"},
    Phrase{"told of", "notified of"},
    Phrase{"(is|are|was|were) asked for", "is requested"},
    Phrase{"of no matter", "ignored"},
    Phrase{"to be had", "available"},
    Phrase{"mend(ed|s|ing)?", "fix"},
    Phrase{"rather late than", "say what happens"},
    Phrase{"that which|he who|those who", "name it"},
    Phrase{"knows of", "has registered, has cached"},
    Phrase{"comes? to nothing", "has no effect"},
    Phrase{"for its sake|for their sake", "because of it"},
};

// A suite and the name of a test read as one sentence; its subject is the suite, unless the name has its own.
constexpr std::array kNameParts{
    Phrase{"^(That|Who|Whom|Whose|What)", "begin with a verb, a subject or a condition"},
    Phrase{"Whoever|Somebody|Someone|Everybody|OneWho|ThoseWho", "name the actor"},
    Phrase{"Nobody|NoOne", "NoClient, NoWorker, NoNode"},
    Phrase{"Strangers?", "UnauthenticatedCallers, UntrustedInput"},
    Phrase{"AtOnce", "Immediately or Concurrently"},
    Phrase{"InVain", "name what fails"},
    Phrase{"(Is|Are)Told", "Receives, IsNotified"},
    Phrase{"Asked(For)?", "Requested, OnRequest"},
    Phrase{"Meanwhile", "name what happens in between"},
    Phrase{"By(Itself|Themselves)", "Automatically or Independently"},
    Phrase{"ByHand", "OnRequest, ByAnOperator"},
    Phrase{"(Tr(y|ies)|Tried)Again", "Retry, Retries, Retried"},
    Phrase{"Go(es)?On", "Continue, Continues"},
    Phrase{"Hand(s|ed)?On", "Forward, Pass"},
    Phrase{"Writ(ten|es?)Down", "Record, Audit"},
    Phrase{"(Holds?|Held)Up", "Delay, Block"},
    Phrase{"Looks?(At|For)", "Polls, Reads, Scans"},
    Phrase{"NoGood", "Invalid"},
    Phrase{"SoMany", "ALimitedNumber"},
    Phrase{"That(Are|Is)None", "Invalid"},
    Phrase{"Refus(e|es|ed|al|als)", "Reject, Rejects, Rejected"},
};

std::string whole_words(const std::string& pattern) { return R"(\b()" + pattern + R"()\b)"; }

struct Bans {
  std::vector<std::pair<std::regex, std::string>> each;
  std::regex any;

  Bans() : any("", std::regex::icase) {
    std::string all;
    for (const Phrase& phrase : kPhrases) {
      each.emplace_back(std::regex{whole_words(phrase.pattern), std::regex::icase}, phrase.instead);
      all += (all.empty() ? "" : "|") + std::string{phrase.pattern};
    }
    any = std::regex{whole_words(all), std::regex::icase | std::regex::optimize};
  }
};

void complain(const SourceFile& file, std::size_t line, const std::string& text, Complaints& complaints) {
  static const Bans bans;
  if (!std::regex_search(text, bans.any)) return;
  for (const auto& [pattern, instead] : bans.each) {
    std::smatch found;
    if (std::regex_search(text, found, pattern))
      complaints.push_back(at(file, line) + "'" + found.str() + "': write instead: " + instead);
  }
}

// The words of a name such as `RejectsABatchAtOnce` begin with capital letters.
std::vector<std::pair<std::regex, std::string>> name_bans() {
  std::vector<std::pair<std::regex, std::string>> bans;
  for (const Phrase& phrase : kNameParts)
    bans.emplace_back(std::regex{"(" + std::string{phrase.pattern} + ")(?=[A-Z_]|$)"}, phrase.instead);
  return bans;
}

void complain_about_test_names(const SourceFile& file, Complaints& complaints) {
  static const auto bans = name_bans();
  static const std::regex test{R"(^TEST(_F|_P)?\(\w+, (B\d+_)?(\w+)\))"};
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    std::smatch declared;
    if (!file.lines[i].starts_with("TEST") || !std::regex_search(file.lines[i], declared, test)) continue;
    const std::string name = declared[3];
    for (const auto& [pattern, instead] : bans) {
      std::smatch found;
      if (std::regex_search(name, found, pattern))
        complaints.push_back(at(file, i) + "'" + found.str() + "' in " + name +
                             ": write instead: " + instead);
    }
  }
}

// The `//` comment of a line of code and, in sources that users see the texts of, its string literals.
std::string prose_of(const std::string& line, bool with_literals) {
  std::string prose;
  bool in_literal = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_literal && line[i] == '\\') {
      ++i;
      continue;
    }
    if (line[i] == '"') in_literal = !in_literal;
    if (!in_literal && line.compare(i, 2, "//") == 0) return prose + line.substr(i);
    if (in_literal && with_literals) prose.push_back(line[i]);
  }
  return prose;
}

TEST(Voice, CommentsAndMessagesUseNoBannedPhrase) {
  Complaints complaints;
  for (const auto& file : files_under({"src", "include", "bench", "examples"}, {".cpp", ".hpp"})) {
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      complain(file, i, prose_of(file.lines[i], true), complaints);
  }
  for (const auto& file : files_under({"tests"}, {".cpp", ".hpp"})) {
    if (file.path == "tests/tidy/voice_test.cpp") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      complain(file, i, prose_of(file.lines[i], false), complaints);
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Voice, QueriesAndScriptsUseNoBannedPhrase) {
  Complaints complaints;
  for (const auto& file : files_under({"src", "tools"}, {".sql", ".sh", ".py"})) {
    if (file.path.find("/migrations/") != std::string::npos) continue;  // released files never change
    for (std::size_t i = 0; i < file.lines.size(); ++i) complain(file, i, file.lines[i], complaints);
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Voice, DocumentsUseNoBannedPhrase) {
  Complaints complaints;
  for (const auto& file : files_under({"."}, {".md"})) {
    if (file.path == "CHANGELOG.md" || file.path == "THIRD_PARTY_NOTICES.md") continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) complain(file, i, file.lines[i], complaints);
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Voice, TestNamesUseNoBannedPhrase) {
  Complaints complaints;
  std::size_t files = 0;
  for (const auto& file : files_under({"tests"}, {".cpp", ".hpp"})) {
    complain_about_test_names(file, complaints);
    ++files;
  }
  EXPECT_EQ(complaints, Complaints{});
  EXPECT_GT(files, 200U);
}

TEST(Voice, CheckFindsAPhraseInATestName) {
  Complaints complaints;
  const SourceFile file = file_of("a.cpp",
                                  "TEST(Leases, B15_ThatExpireAreFound) {\n"
                                  "TEST_F(Leases, EndAtOnce) {\n"
                                  "TEST(Leases, LetThatLeaseExpire) {\n");
  complain_about_test_names(file, complaints);
  ASSERT_EQ(complaints.size(), 2U);
  EXPECT_EQ(complaints[0],
            "a.cpp:1: 'That' in ThatExpireAreFound: write instead: begin with a verb, a subject or a "
            "condition");
  EXPECT_EQ(complaints[1], "a.cpp:2: 'AtOnce' in EndAtOnce: write instead: Immediately or Concurrently");
}

TEST(Voice, CheckFindsAPhraseInACommentAndInAMessage) {
  Complaints complaints;
  const SourceFile file =
      file_of("a.cpp", "int a;  // Whoever asks is told so\nfail(\"nobody holds it\");\nint whom = 0;\n");
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    complain(file, i, prose_of(file.lines[i], true), complaints);
  ASSERT_EQ(complaints.size(), 3U);
  EXPECT_TRUE(complaints[0].starts_with("a.cpp:1: 'Whoever'")) << complaints[0];
  EXPECT_TRUE(complaints[2].starts_with("a.cpp:2: 'nobody'")) << complaints[2];
}

}  // namespace
}  // namespace pawl::tidy
