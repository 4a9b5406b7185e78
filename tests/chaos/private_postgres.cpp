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

// Debian keeps the server's programs out of PATH, in one folder per version.
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

// The server refuses to run as root; then it runs as Debian's postgres user.
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

// Returns the error message, empty on success. Stores the first value of the result in `value`.
std::string try_on(const std::string& conninfo, const std::string& sql, std::string* value = nullptr) {
  PGconn* connection = PQconnectdb(conninfo.c_str());
  PGresult* result = PQexec(connection, sql.c_str());
  const auto status = PQresultStatus(result);
  const bool is_done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  if (value != nullptr && status == PGRES_TUPLES_OK && PQntuples(result) > 0)
    *value = PQgetvalue(result, 0, 0);
  const std::string message = is_done ? "" : sql + ": " + PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
  return message;
}

void make_folder(const std::string& path) {
  fs::create_directories(path);
  give_to_server(path);
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

PrivatePostgres::PrivatePostgres(const std::string& folder, ServerOptions options)
    : options_(std::move(options)),
      folder_(folder + "/postgres"),
      log_(folder + "/postgres.log"),
      programs_(server_programs()),
      user_(server_user()),
      password_(text_of_file("/proc/sys/kernel/random/uuid")),
      port_(free_port()) {
  password_.pop_back();  // the line end
  make_folder(folder_);
  const std::string file = folder_ + "/password";
  std::ofstream{file} << password_;
  give_to_server(file);
  run_to_end(as_server({programs_ + "initdb", "-D", data(), "-U", user_, "-E", "UTF8", "--locale=C.UTF-8",
                        "--no-sync", "--auth=scram-sha-256", "--pwfile=" + file}),
             folder + "/initdb.log");
  start();
}

PrivatePostgres::PrivatePostgres(const std::string& folder, const PrivatePostgres& primary,
                                 Replication replication)
    : options_(primary.options_),
      folder_(folder + "/standby"),
      log_(folder + "/standby.log"),
      programs_(primary.programs_),
      user_(primary.user_),
      password_(primary.password_),
      port_(free_port()) {
  make_folder(folder_);
  run_to_end(as_server({programs_ + "pg_basebackup", "--checkpoint=fast", "--no-sync",
                        "--write-recovery-conf", "-D", data(), "-d", primary.conninfo(primary.port())}),
             folder + "/basebackup.log");
  start();
  if (replication == Replication::asynchronous) return;
  primary.execute("alter system set synchronous_standby_names = '*'");
  primary.execute("select pg_reload_conf()");
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

// A restarted primary blocks every commit until its standby reconnects, so the standby retries often.
void PrivatePostgres::start() {
  std::vector<std::string> command{"env"};
  command.insert(command.end(), options_.environment.begin(), options_.environment.end());
  command.insert(command.end(), {programs_ + "postgres", "-D", data(), "-p", std::to_string(port_)});
  std::vector<std::string> settings{"listen_addresses=127.0.0.1",
                                    "unix_socket_directories=", "max_connections=200",
                                    "wal_retrieve_retry_interval=100ms"};
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  for (const std::string& setting : settings) command.insert(command.end(), {"-c", setting});
  server_ = std::make_unique<Process>(as_server(std::move(command)), log_);
  await_connections();
}

void PrivatePostgres::await_connections() const {
  const auto until = std::chrono::steady_clock::now() + kStartsWithin;
  while (!try_on(conninfo(port_), "select 1").empty()) {
    if (server_->ended() || std::chrono::steady_clock::now() > until)
      throw std::runtime_error{"PostgreSQL does not start: " + text_of_file(log_)};
    std::this_thread::sleep_for(5ms);
  }
}

void PrivatePostgres::await_crash() const {
  const auto until = std::chrono::steady_clock::now() + kStartsWithin;
  while (text_of_file(log_).find("all server processes terminated") == std::string::npos &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  await_connections();
}

void PrivatePostgres::save() {
  server_->signal(SIGINT);
  (void)server_->wait();
  run_to_end(as_server({"cp", "-a", data(), folder_ + "/saved"}), folder_ + ".cp.log");
  start();
}

void PrivatePostgres::go_back() {
  stop_immediately();
  run_to_end(as_server({"rm", "-rf", data()}), folder_ + ".rm.log");
  run_to_end(as_server({"cp", "-a", folder_ + "/saved", data()}), folder_ + ".cp.log");
  start();
}

// Polls, since a query that waits for the promotion is canceled if it conflicts with replay.
void PrivatePostgres::promote() {
  const auto until = std::chrono::steady_clock::now() + kStartsWithin;
  bool is_requested = false;
  std::string is_standby;
  while (!try_on(conninfo(port()), "select pg_is_in_recovery()", &is_standby).empty() || is_standby != "f") {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error{"the standby was not promoted"};
    if (!is_requested) is_requested = try_on(conninfo(port()), "select pg_promote(false)").empty();
    std::this_thread::sleep_for(5ms);
  }
}

void PrivatePostgres::flush() const {
  execute("set synchronous_commit = on; select pg_logical_emit_message(true, 'chaos', '')");
}

bool PrivatePostgres::has_unflushed_log() const {
  constexpr const char* kIsAhead = "select pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() + 4096";
  return value(kIsAhead) == "t";
}

void PrivatePostgres::await_received_by(const PrivatePostgres& standby) const {
  const std::string end = value("select pg_current_wal_flush_lsn()");
  const std::string received =
      "select coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) >= '" + end + "'";
  const auto until = std::chrono::steady_clock::now() + kStartsWithin;
  std::string has_it;  // the standby cancels queries that conflict with replay: retry them
  while (!try_on(standby.conninfo(standby.port()), received, &has_it).empty() || has_it != "t") {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error{"the standby does not follow"};
    std::this_thread::sleep_for(5ms);
  }
}

int PrivatePostgres::end_sync_waits(bool terminate) const {
  const std::string function = terminate ? "pg_terminate_backend" : "pg_cancel_backend";
  return std::stoi(
      value("select count(" + function + "(pid)) from pg_stat_activity where wait_event = 'SyncRep'"));
}

std::string PrivatePostgres::value(const std::string& sql) const {
  std::string found;
  if (const std::string error = try_on(conninfo(port_), sql, &found); !error.empty())
    throw std::runtime_error{error};
  return found;
}

void PrivatePostgres::execute(const std::string& sql) const {
  if (const std::string error = try_on(conninfo(port_), sql); !error.empty()) throw std::runtime_error{error};
}

}  // namespace pawl::chaos
