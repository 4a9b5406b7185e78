#include "cli/supervise.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pawl::cli {

namespace {

core::Problem start_problem(int error) {
  return {.code = core::ProblemCode::internal,
          .detail = fmt::format("cannot start another process: {}", std::strerror(error))};
}

// Runs in the child between fork and exec, so only async-signal-safe calls are allowed.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment, int out,
                         pid_t parent) {
  setpgid(0, 0);
  // The children must not outlive a parent that is killed.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  dup2(out, STDOUT_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve("/proc/self/exe", words.data(), environment.data());
  _exit(127);
}

std::vector<char*> terminated(std::vector<char*> pointers) {
  pointers.push_back(nullptr);
  return pointers;
}

// This process's environment; the given variables replace those of the same name.
std::vector<char*> environment_with(std::vector<std::string>& variables) {
  std::vector<char*> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const bool is_given = std::any_of(variables.begin(), variables.end(), [&](const std::string& variable) {
      return text.starts_with(variable.substr(0, variable.find('=') + 1));
    });
    if (!is_given) entries.push_back(*entry);
  }
  for (std::string& variable : variables) entries.push_back(variable.data());
  return terminated(std::move(entries));
}

}  // namespace

core::Result<Child> Child::start(std::vector<std::string> words, std::vector<std::string> variables) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return start_problem(errno);
  net::Descriptor read_end{ends[0]};
  const net::Descriptor write_end{ends[1]};
  words.insert(words.begin(), kChildName);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers = terminated(std::move(pointers));
  const auto environment = environment_with(variables);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return start_problem(errno);
  if (pid == 0) become(pointers, environment, write_end.get(), parent);
  return Child{pid, std::move(read_end)};
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), out_(std::move(other.out_)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(out_, other.out_);
  return *this;
}

Child::~Child() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Child::read_line() const {
  std::string line;
  char c = 0;
  while (true) {
    const ssize_t count = read(out_.get(), &c, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || c == '\n') return line;
    line.push_back(c);
  }
}

bool Child::has_ended() {
  if (pid_ >= 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

void Child::signal(int number) const {
  if (pid_ >= 0) kill(pid_, number);
}

void Rest::started() {
  started_at_ = clock_.monotonic();
  over_at_.reset();
}

bool Rest::is_over() {
  constexpr core::Duration kLeast = std::chrono::milliseconds{500};
  constexpr core::Duration kMost = std::chrono::seconds{30};
  constexpr core::Duration kHealthy = std::chrono::seconds{10};
  const auto now = clock_.monotonic();
  if (!over_at_) {
    const bool was_healthy = now - started_at_ >= kHealthy;
    length_ = was_healthy ? kLeast : std::clamp(2 * length_, kLeast, kMost);
    over_at_ = now + length_;
  }
  return now >= *over_at_;
}

void Child::stop() {
  if (has_ended()) return;
  signal(SIGTERM);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

}  // namespace pawl::cli
