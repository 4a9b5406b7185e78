#include "pawl/worker.hpp"

#include <utility>

#include "sdk/worker_core.hpp"

namespace pawl {

Worker::Worker(const Client& client, WorkerOptions options)
    : core_(std::make_shared<detail::WorkerCore>(client.connection(), std::move(options))) {}
Worker::~Worker() { core_->stop(); }

void Worker::run() { core_->run(); }
void Worker::start() { core_->start(); }
void Worker::stop() { core_->stop(); }
int Worker::threads_left_behind() const { return core_->threads_left_behind(); }

void Worker::add_task(std::string_view type, const HandlerOptions& options, detail::TaskHandler handler) {
  core_->add_task(type, options, std::move(handler));
}
void Worker::add_workflow(std::string_view name, const HandlerOptions& options,
                          detail::WorkflowHandler handler) {
  core_->add_workflow(name, options, std::move(handler));
}

}  // namespace pawl
