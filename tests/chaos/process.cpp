#include "tests/chaos/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pawl::chaos {

namespace {

int meaning_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

}  // namespace

Process::Process(std::vector<std::string> command, const std::string& log) {
  // The child dies with its parent, however the parent ends.
  if (command.front() != "setpriv") command.insert(command.begin(), {"setpriv", "--pdeathsig", "KILL"});
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int error = posix_spawnp(&pid_, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error{command.front() + ": " + std::strerror(error)};
}

Process::~Process() {
  if (end_) return;
  ::kill(pid_, SIGKILL);
  (void)wait();
}

void Process::signal(int number) const {
  if (!end_) ::kill(pid_, number);
}

int Process::wait() {
  int status = 0;
  while (!end_) {
    if (::waitpid(pid_, &status, 0) == pid_ || errno != EINTR) end_ = meaning_of(status);
  }
  return *end_;
}

std::optional<int> Process::ended() {
  int status = 0;
  if (!end_ && ::waitpid(pid_, &status, WNOHANG) == pid_) end_ = meaning_of(status);
  return end_;
}

bool Process::is_stopped() const {
  const std::string stat = text_of_file("/proc/" + std::to_string(pid_) + "/stat");
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 3, ") T") == 0;
}

void run_to_end(std::vector<std::string> command, const std::string& log) {
  const std::string name = command.front();
  if (Process{std::move(command), log}.wait() != 0) throw std::runtime_error{name + ": " + text_of_file(log)};
}

std::string text_of_file(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace pawl::chaos
