// expect: pawl: a handler names the types of its parameters
#include <pawl/pawl.hpp>

void add(pawl::Worker& worker) {
  worker.task("email.send", [](auto& task, const std::string& to) { return task.id() + to; });
}
