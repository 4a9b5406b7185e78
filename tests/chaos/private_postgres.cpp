#include "tests/chaos/private_postgres.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/descriptor.hpp"

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kStartsWithin = 60s;

// Debian keeps the server's programs out of PATH, in a folder for each version.
std::string server_programs() {
  std::string newest;
  const fs::path versions = "/usr/lib/postgresql";
  if (fs::exists(versions)) {
    for (const auto& version : fs::directory_iterator{versions}) {
      const fs::path programs = version.path() / "bin";
      if (fs::exists(programs / "initdb")) newest = std::max(newest, programs.string());
    }
  }
  if (newest.empty()) throw std::runtime_error{"PostgreSQL is not installed (./dev chaos installs it)"};
  return newest + "/";
}

// The server refuses root; as root it runs as Debian's user for it.
std::vector<std::string> as_server(std::vector<std::string> command) {
  std::vector<std::string> all{"setpriv", "--pdeathsig", "QUIT"};
  if (::getuid() == 0) all.insert(all.end(), {"--reuid=postgres", "--regid=postgres", "--init-groups"});
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::string server_user() { return ::getuid() == 0 ? "postgres" : ::getpwuid(::getuid())->pw_name; }

void give_to_server(const std::string& path) {
  if (::getuid() != 0) return;
  const passwd* user = ::getpwnam("postgres");
  if (user == nullptr || ::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error{"there is no user postgres to run the server as"};
}

}  // namespace

int free_port() {
  const net::Descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.sin_port);
}

PrivatePostgres::PrivatePostgres(const std::string& folder)
    : folder_(folder + "/postgres"), programs_(server_programs()), user_(server_user()) {
  fs::create_directories(folder_);
  give_to_server(folder_);
  password_ = text_of_file("/proc/sys/kernel/random/uuid");
  password_.pop_back();  // the end of its line
  const std::string file = folder_ + "/password";
  std::ofstream{file} << password_;
  give_to_server(file);
  run_to_end(as_server({programs_ + "initdb", "-D", folder_ + "/data", "-U", user_, "-E", "UTF8",
                        "--locale=C.UTF-8", "--no-sync", "--auth=scram-sha-256", "--pwfile=" + file}),
             folder + "/initdb.log");
  port_ = free_port();
  start();
}

PrivatePostgres::~PrivatePostgres() { stop_immediately(); }

std::string PrivatePostgres::conninfo(int port) const {
  return "host=127.0.0.1 port=" + std::to_string(port) + " dbname=postgres user=" + user_ +
         " password=" + password_;
}

void PrivatePostgres::stop_immediately() {
  server_->signal(SIGQUIT);
  (void)server_->wait();
}

void PrivatePostgres::start() {
  server_ =
      std::make_unique<Process>(as_server({programs_ + "postgres", "-D", folder_ + "/data", "-p",
                                           std::to_string(port_), "-c", "listen_addresses=127.0.0.1", "-c",
                                           "unix_socket_directories=", "-c", "max_connections=200"}),
                                folder_ + "/../postgres.log");
  const auto until = std::chrono::steady_clock::now() + kStartsWithin;
  while (!takes_connections()) {
    if (server_->ended() || std::chrono::steady_clock::now() > until)
      throw std::runtime_error{"PostgreSQL does not start: " + text_of_file(folder_ + "/../postgres.log")};
    std::this_thread::sleep_for(5ms);
  }
}

bool PrivatePostgres::takes_connections() const {
  PGconn* connection = PQconnectdb(conninfo(port_).c_str());
  const bool is_there = PQstatus(connection) == CONNECTION_OK;
  PQfinish(connection);
  return is_there;
}

}  // namespace pawl::chaos
