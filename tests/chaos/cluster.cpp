#include "tests/chaos/cluster.hpp"

#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto kServesWithin = 60s;
constexpr std::string_view kScheme = "http://";
constexpr std::string_view kNodeField = R"( node=")";

constexpr const char* kSteppedClock = PAWL_STEPPED_CLOCK_LIBRARY;  // stepped_clock.cpp

// Neither the WAL writer nor the background writer (which flushes the log before the pages) flushes for ten
// seconds, unless the WAL buffers are full.
const std::vector<std::string> kNotFlushed{"synchronous_commit=off", "wal_writer_delay=10s",
                                           "wal_writer_flush_after=1GB", "wal_buffers=64MB",
                                           "bgwriter_lru_maxpages=0"};

// Extracts the node id from a node's log.
std::string node_id_in(const std::string& said) {
  const auto at = said.find(kNodeField);
  if (at == std::string::npos) throw std::runtime_error{"a node does not say its id: " + said};
  const auto begin = at + kNodeField.size();
  return said.substr(begin, said.find('"', begin) - begin);
}

}  // namespace

std::string to_string(StoreKind kind) { return kind == StoreKind::postgres ? "postgres" : "sqlite"; }

Cluster::Cluster(const ClusterOptions& options, std::string binary, std::string folder)
    : options_(options), binary_(std::move(binary)), folder_(std::move(folder)) {
  if (options_.has_own_clock) set_clock(0s);
  if (kind() == StoreKind::postgres) {
    ServerOptions server;
    if (options_.durability == Durability::not_flushed) server.settings = kNotFlushed;
    if (options_.has_own_clock) server.environment = clock_environment();
    primary_ = std::make_unique<PrivatePostgres>(folder_, server);
    standby_ = std::make_unique<PrivatePostgres>(folder_, *primary_,
                                                 options_.durability == Durability::synchronous
                                                     ? PrivatePostgres::Replication::synchronous
                                                     : PrivatePostgres::Replication::asynchronous);
    for (Node& node : nodes_) {
      node.way = std::make_unique<Proxy>(primary_->port());
      node.way_to_standby = std::make_unique<Proxy>(standby_->port());
    }
  }
  for (int i = 0; i < kNodes; ++i) start(i);
}

Cluster::~Cluster() {
  for (Node& node : nodes_) node.process.reset();  // before the proxies to the database
}

std::string Cluster::store() const {
  return kind() == StoreKind::postgres ? "postgres:" + conninfo() : "sqlite:" + sqlite_file();
}

std::string Cluster::conninfo() const { return conninfo_by(primary_->port(), standby_->port()); }

std::string Cluster::conninfo_by(int port, int standby_port) const {
  return primary_->conninfo(port) + " host=127.0.0.1,127.0.0.1 port=" + std::to_string(port) + "," +
         std::to_string(standby_port) + " target_session_attrs=read-write";
}

std::string Cluster::store_of(int node) const {
  if (kind() == StoreKind::sqlite) return store();
  const Node& its = nodes_.at(index(node));
  return "postgres:" + conninfo_by(its.way->port(), its.way_to_standby->port());
}

void Cluster::set_ways(int node, Proxy::Mode mode) {
  Node& its = nodes_.at(index(node));
  its.way->set(mode);
  its.way_to_standby->set(mode);
}

std::vector<std::string> Cluster::clock_environment() const {
  return {std::string{"LD_PRELOAD="} + kSteppedClock, "PAWL_STEPPED_CLOCK=" + clock_file()};
}

// Writes in place, because the programs have mapped the file.
void Cluster::set_clock(std::chrono::seconds ahead) {
  const std::int64_t seconds = ahead.count();
  const int file = open(clock_file().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const bool is_written = file >= 0 && pwrite(file, &seconds, sizeof seconds, 0) == sizeof seconds;
  if (file >= 0) close(file);
  if (!is_written) throw std::runtime_error{"cannot write " + clock_file()};
}

void Cluster::fail_over() {
  primary_->stop_immediately();
  // A lost machine does not accept connections, so the proxies to it must not either.
  for (Node& node : nodes_) node.way.reset();
  standby_->promote();
}

void Cluster::start(int number) {
  Node& node = nodes_.at(index(number));
  const std::string log = log_of(number);
  const auto until = std::chrono::steady_clock::now() + kServesWithin;
  while (true) {
    node.process.reset();
    const std::size_t said_before = text_of_file(log).size();
    std::vector<std::string> command{"env"};
    if (options_.has_own_clock && kind() == StoreKind::sqlite) {
      const auto environment = clock_environment();
      command.insert(command.end(), environment.begin(), environment.end());
    }
    command.insert(command.end(), {binary_, "serve", "--listen", node.listen, "--store", store_of(number),
                                   "--set", "leader.ttl=" + std::to_string(kLeaderTtl.count()) + "ms"});
    node.process = std::make_unique<Process>(std::move(command), log);
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
      node.id = node_id_in(said);
      return true;
    }
    if (node.process->ended()) return false;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

}  // namespace pawl::chaos
