#pragma once
// Starts a shell command as a process of its own.

#include <string>
#include <vector>

#include <sys/types.h>

namespace pawl::worker {

struct SpawnSpec {
  std::string command = {};                   // for /bin/sh -c
  std::vector<std::string> environment = {};  // NAME=VALUE, all of it
  int input = -1;                             // descriptors that become its stdin, stdout and stderr
  int output = -1;
  int errors = -1;
};

struct Spawned {
  pid_t pid = -1;
  int error = 0;  // of errno: it could not be started
};

// In a group of its own, with nothing open but the three and no signal blocked or ignored: the worker's
// settings are not the handler's. It gets SIGTERM when the calling thread ends, so that thread must wait for
// it; a worker that is killed takes its handlers with it in this way.
[[nodiscard]] Spawned spawn_shell(const SpawnSpec& spec);

}  // namespace pawl::worker
