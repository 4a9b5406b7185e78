#include "tests/cli/program.hpp"

#include <array>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

namespace pawl::testing {

namespace {

struct Pipe {
  net::Descriptor read;
  net::Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return {.read = net::Descriptor{ends[0]}, .write = net::Descriptor{ends[1]}};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool read_some(net::Descriptor& from, std::string& into) {
  std::array<char, 4096> buffer{};
  const auto count = read(from.get(), buffer.data(), buffer.size());
  if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0) from.close();
  return count > 0;
}

}  // namespace

Program::Program(const std::string& path, std::vector<std::string> arguments, Variables variables,
                 const std::string& input) {
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  arguments.insert(arguments.begin(), path);
  variables.emplace("PATH", "/usr/bin:/bin");
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  EXPECT_EQ(posix_spawn(&pid_, path.c_str(), &actions, nullptr, pointers_to(arguments).data(),
                        pointers_to(environment).data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(write(in.write.get(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
  out_pipe_ = std::move(out.read);
  err_pipe_ = std::move(err.read);
}

Program::~Program() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Program::read_line() {
  read_until("\n");
  return out_.substr(0, out_.find('\n'));
}

bool Program::read_until(std::string_view text) {
  while (out_.find(text) == std::string::npos) {
    if (!read_some(out_pipe_, out_)) return false;
  }
  return true;
}

void Program::signal(int number) const { kill(pid_, number); }

int Program::wait() {
  while (out_pipe_.is_open() || err_pipe_.is_open()) {
    std::array<pollfd, 2> waits{pollfd{out_pipe_.get(), POLLIN, 0}, pollfd{err_pipe_.get(), POLLIN, 0}};
    poll(waits.data(), waits.size(), -1);
    if (waits[0].revents != 0) read_some(out_pipe_, out_);
    if (waits[1].revents != 0) read_some(err_pipe_, err_);
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Ended run_pawl(std::vector<std::string> arguments, Variables variables, const std::string& input) {
  Program program{std::move(arguments), std::move(variables), input};
  const int code = program.wait();
  return {.exit_code = code, .out = program.out(), .err = program.err()};
}

}  // namespace pawl::testing
