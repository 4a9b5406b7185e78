// A server beyond loopback, and TLS from the command line: the real program on both sides.
#include <csignal>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

class ServeWithTls : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> serve(const std::string& listen,
                                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"serve", "--listen", listen, "--store",
                                       "sqlite:" + folder.path() + "/pawl.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] std::vector<std::string> with_tls() const {
    return {"--set", "tls.cert=" + files.cert, "--set", "tls.key=" + files.key};
  }
  // Starts the server, waits until it serves, and returns its port.
  std::string start(const std::vector<std::string>& arguments) {
    server.reset();
    server = std::make_unique<Program>(arguments);
    const std::string line = server->read_line();
    EXPECT_NE(line.find("Pawl serves at https://"), std::string::npos) << line;
    return line.substr(line.rfind(':') + 1);
  }
  [[nodiscard]] Ended list_queues(const std::string& port, const Authority& trusted) const {
    return run_pawl({"queue", "list", "--address", "https://127.0.0.1:" + port},
                    {{"PAWL_CA_CERT", trusted.file()}});
  }

  TemporaryFolder folder;
  Authority ours{folder.path(), "ours"};
  Authority other{folder.path(), "other"};
  CertificateFiles files = ours.issue("server");
  std::unique_ptr<Program> server;
};

TEST_F(ServeWithTls, ServesClientsThatTrustIt) {
  const auto port = start(serve("127.0.0.1:0", with_tls()));
  EXPECT_EQ(list_queues(port, ours).exit_code, 0);
  const auto refused = list_queues(port, other);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("certificate verify failed"), std::string::npos) << refused.err;
}

TEST_F(ServeWithTls, RequiresAClientCertificateIfConfigured) {
  auto arguments = with_tls();
  arguments.insert(arguments.end(), {"--set", "tls.client_ca=" + ours.file()});
  const auto port = start(serve("127.0.0.1:0", arguments));
  EXPECT_EQ(list_queues(port, ours).exit_code, 3);
  const auto own = ours.issue("client");
  EXPECT_EQ(run_pawl({"queue", "list", "--address", "https://127.0.0.1:" + port, "--ca-cert", ours.file(),
                      "--client-cert", own.cert, "--client-key", own.key})
                .exit_code,
            0);
}

TEST_F(ServeWithTls, ReloadsItsCertificateOnSighupUnlessItIsInvalid) {
  const auto port = start(serve("127.0.0.1:0", with_tls()));
  constexpr auto kOver = std::filesystem::copy_options::overwrite_existing;
  const auto next = other.issue("next");
  std::filesystem::copy_file(next.cert, files.cert, kOver);  // without its key: invalid
  server->signal(SIGHUP);
  EXPECT_EQ(list_queues(port, ours).exit_code, 0);
  std::filesystem::copy_file(next.key, files.key, kOver);
  server->signal(SIGHUP);
  for (int looks = 0; list_queues(port, other).exit_code != 0; ++looks)  // until the server uses it
    ASSERT_LT(looks, 1'000) << server->err();
  EXPECT_EQ(list_queues(port, ours).exit_code, 3);
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_NE(server->err().find("read the certificate again"), std::string::npos) << server->err();
}

TEST_F(ServeWithTls, ListensBeyondLoopbackOnlyWithTls) {
  const auto without_tls = run_pawl(serve("0.0.0.0:0"));
  EXPECT_EQ(without_tls.exit_code, 2);
  EXPECT_NE(without_tls.err.find("tls.cert"), std::string::npos) << without_tls.err;
}

TEST_F(ServeWithTls, PrintsAnAdminTokenOnceAtItsFirstStartBeyondLoopback) {
  const auto port = start(serve("0.0.0.0:0", with_tls()));
  ASSERT_TRUE(server->read_until("Use it as PAWL_TOKEN."));
  const std::string from = server->out().substr(server->out().find("\npawl_a_") + 1);
  const std::string token = from.substr(0, from.find('\n'));
  const auto refused = list_queues(port, ours);
  EXPECT_EQ(refused.exit_code, 1) << "it is reached, and needs a token";
  EXPECT_NE(refused.err.find("token"), std::string::npos) << refused.err;
  EXPECT_EQ(run_pawl({"token", "list", "--address", "https://127.0.0.1:" + port},
                     {{"PAWL_CA_CERT", ours.file()}, {"PAWL_TOKEN", token}})
                .exit_code,
            0);
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_EQ(server->err().find(token), std::string::npos) << "no log has it";

  (void)start(serve("0.0.0.0:0", with_tls()));
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_EQ(server->out().find("pawl_a_"), std::string::npos) << server->out();
}

TEST_F(ServeWithTls, WarnsIfEveryCallerIsAnAdmin) {
  Program open{serve("0.0.0.0:0", {"--insecure"})};
  (void)open.read_line();
  open.signal(SIGTERM);
  EXPECT_EQ(open.wait(), 0);
  EXPECT_NE(open.err().find("every client that can reach this server is an admin"), std::string::npos)
      << open.err();
  EXPECT_EQ(open.out().find("pawl_a_"), std::string::npos) << open.out();
}

TEST_F(ServeWithTls, RejectsForeignHostNamesWhileItRequiresNoToken) {
  const auto status_of_host = [this](const std::vector<std::string>& more, const std::string& host) {
    Program open{serve("0.0.0.0:0", more)};
    const std::string line = open.read_line();
    RawClient client{std::stoi(line.substr(line.rfind(':') + 1))};
    client.send("GET /v1/default/tasks HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return status_of(client.receive());
  };
  const std::vector<std::string> insecure{"--insecure"};
  EXPECT_EQ(status_of_host(insecure, "127.0.0.1"), 200);
  EXPECT_EQ(status_of_host(insecure, "evil.example"), 403);
  const std::vector<std::string> named{"--insecure", "--set", "server.hosts=pawl.example"};
  EXPECT_EQ(status_of_host(named, "pawl.example"), 200);
  EXPECT_EQ(status_of_host(named, "192.0.2.1"), 200);
  EXPECT_EQ(status_of_host(named, "evil.example"), 421);
}

TEST_F(ServeWithTls, NamesTheInvalidSetting) {
  const auto missing = run_pawl(serve(
      "127.0.0.1:0", {"--set", "tls.cert=" + folder.path() + "/none.pem", "--set", "tls.key=" + files.key}));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("tls.cert"), std::string::npos) << missing.err;
  const auto range = run_pawl(serve("127.0.0.1:0", {"--set", "lease.default=2d"}));
  EXPECT_EQ(range.exit_code, 2);
  EXPECT_NE(range.err.find("lease.default"), std::string::npos) << range.err;
}

}  // namespace
}  // namespace pawl::testing
