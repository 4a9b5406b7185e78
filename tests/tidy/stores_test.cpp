// The interface of a store stays small, and a job has the same file name in both databases.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

// A new verb needs a reason why none of the existing ones can select the rows (docs/adr/0086).
constexpr std::size_t kVerbsMax = 45;

// Virtual functions, without destructors.
std::size_t verbs_in(const SourceFile& file) {
  return static_cast<std::size_t>(
      std::count_if(file.lines.begin(), file.lines.end(), [](const std::string& line) {
        const std::string code = code_of(line);
        return code.find("virtual ") != std::string::npos && code.find('~') == std::string::npos;
      }));
}

TEST(StoreInterface, HasAtMost45Verbs) {
  std::size_t verbs = 0;
  for (const auto& file : files_under({"src/store"}, {".hpp"})) {
    if (file.path == "src/store/store.hpp" || file.path == "src/store/runs.hpp") verbs += verbs_in(file);
  }
  EXPECT_GT(verbs, 0U);
  EXPECT_LE(verbs, kVerbsMax);
}

TEST(StoreInterface, VerbsAreCountedWithoutDestructorsAndComments) {
  const auto file = file_of("a.hpp",
                            "virtual ~A() = default;\n[[nodiscard]] virtual int b() = 0;\n"
                            "// virtual\nvirtual void c() {}\nint d();\n");
  EXPECT_EQ(verbs_in(file), 2U);
}

// Jobs that only one of the databases has, each with the reason.
const std::map<std::string, std::set<std::string>> kOnlyIn{
    // One file, which other programs can open, copy or replace, and its log.
    {"sqlite",
     {"backup", "bulk_insert", "checkpointer", "clock", "file_watch", "flusher", "lock_holder", "log_mark",
      "private_files", "statement", "turnstile"}},
    // A server with a clock of its own, many writers and round trips to save.
    {"postgres",
     {"asides", "heard_clock", "jitter", "maintain", "marks", "monotonic", "params", "planted_sql",
      "replication", "rows", "server_clock", "server_lives", "shared"}},
};

// The job of each source: its file name without the ending and without the name of its database.
std::set<std::string> jobs_of(const std::vector<SourceFile>& files, const std::string& database) {
  std::set<std::string> jobs;
  for (const auto& file : files) {
    std::string job = std::filesystem::path{file.path}.stem().string();
    if (job.starts_with(database + "_")) job = job.substr(database.size() + 1);
    jobs.insert(std::move(job));
  }
  return jobs;
}

Complaints unmirrored(const std::set<std::string>& here, const std::set<std::string>& there,
                      const std::set<std::string>& only_here, const std::string& database) {
  Complaints complaints;
  for (const std::string& job : here) {
    const bool is_listed = only_here.contains(job);
    if (there.contains(job) && is_listed) complaints.push_back(job + " is in both databases: unlist it");
    if (!there.contains(job) && !is_listed) complaints.push_back(job + " is only in " + database);
  }
  for (const std::string& job : only_here) {
    if (!here.contains(job)) complaints.push_back(job + " is listed but not in " + database);
  }
  return complaints;
}

TEST(StoreFiles, HaveTheSameNamesForBothDatabases) {
  const auto jobs = [](const std::string& database) {
    return jobs_of(files_under({"src/store/" + database}, {".cpp", ".hpp"}), database);
  };
  const auto sqlite = jobs("sqlite");
  const auto postgres = jobs("postgres");
  EXPECT_EQ(unmirrored(sqlite, postgres, kOnlyIn.at("sqlite"), "sqlite"), Complaints{});
  EXPECT_EQ(unmirrored(postgres, sqlite, kOnlyIn.at("postgres"), "postgres"), Complaints{});
}

TEST(StoreFiles, ADifferentNameIsSeen) {
  EXPECT_EQ(unmirrored({"lists", "moves"}, {"lists", "writes"}, {}, "b"), Complaints{"moves is only in b"});
  EXPECT_EQ(unmirrored({"lists"}, {"lists"}, {"lists"}, "b"),
            Complaints{"lists is in both databases: unlist it"});
  EXPECT_EQ(unmirrored({}, {}, {"jitter"}, "b"), Complaints{"jitter is listed but not in b"});
}

}  // namespace
}  // namespace pawl::tidy
