#include "tests/chaos/cluster.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto kServesWithin = 60s;
constexpr std::string_view kScheme = "http://";

}  // namespace

std::string to_string(StoreKind kind) { return kind == StoreKind::postgres ? "postgres" : "sqlite"; }

Cluster::Cluster(StoreKind kind, std::string binary, std::string folder)
    : kind_(kind), binary_(std::move(binary)), folder_(std::move(folder)) {
  if (kind_ == StoreKind::postgres) {
    postgres_ = std::make_unique<PrivatePostgres>(folder_);
    for (Node& node : nodes_) node.proxy = std::make_unique<Proxy>(postgres_->port());
  }
  for (int i = 0; i < kNodes; ++i) start(i);
}

Cluster::~Cluster() {
  for (Node& node : nodes_) node.process.reset();  // before their ways to the database
}

std::string Cluster::store() const {
  return kind_ == StoreKind::postgres ? "postgres:" + conninfo() : "sqlite:" + sqlite_file();
}

std::string Cluster::store_of(int node) const {
  if (kind_ == StoreKind::sqlite) return store();
  return "postgres:" + postgres_->conninfo(nodes_.at(index(node)).proxy->port());
}

void Cluster::start(int number) {
  Node& node = nodes_.at(index(number));
  const std::string log = log_of(number);
  const auto until = std::chrono::steady_clock::now() + kServesWithin;
  while (true) {
    node.process.reset();
    const std::size_t said_before = text_of_file(log).size();
    node.process = std::make_unique<Process>(
        std::vector<std::string>{binary_, "serve", "--listen", node.listen, "--store", store_of(number),
                                 "--set", "leader.ttl=" + std::to_string(kLeaderTtl.count()) + "ms"},
        log);
    if (await_serving(node, log, said_before)) return;
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error{"a node does not start: " + text_of_file(log)};
  }
}

bool Cluster::await_serving(Node& node, const std::string& log, std::size_t said_before) {
  const auto until = std::chrono::steady_clock::now() + kServesWithin;
  while (std::chrono::steady_clock::now() < until) {
    const std::string said = text_of_file(log).substr(said_before);
    const auto at = said.find(kScheme);
    const auto end = said.find('\n', at);
    if (at != std::string::npos && end != std::string::npos) {
      if (node.address.empty()) node.address = said.substr(at, end - at);
      node.listen = node.address.substr(kScheme.size());
      return true;
    }
    if (node.process->ended()) return false;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

}  // namespace pawl::chaos
