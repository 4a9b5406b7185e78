#pragma once
// Starts a shell command in its own process.

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
  int error = 0;  // an errno: it could not be started
};

// The process has its own process group, only these three descriptors, and no blocked or ignored signals: the
// worker's settings do not apply to the handler. It gets SIGTERM when the calling thread ends, so that thread
// must wait for it. That is how a killed worker takes its handlers with it.
[[nodiscard]] Spawned spawn_shell(const SpawnSpec& spec);

}  // namespace pawl::worker
