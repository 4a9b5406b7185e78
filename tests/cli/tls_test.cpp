// The server beyond loopback, and TLS from the command line: the real program on both sides.
#include <csignal>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/support/certificates.hpp"
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
  // Starts it and waits until it serves; gives its port.
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

TEST_F(ServeWithTls, IsCalledByThoseWhoTrustIt) {
  const auto port = start(serve("127.0.0.1:0", with_tls()));
  EXPECT_EQ(list_queues(port, ours).exit_code, 0);
  const auto refused = list_queues(port, other);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("certificate verify failed"), std::string::npos) << refused.err;
}

TEST_F(ServeWithTls, AsksForACertificateWhereItIsToldTo) {
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

TEST_F(ServeWithTls, ReadsItsCertificateAgainOnSighupAndKeepsTheOldOneIfItIsNoGood) {
  const auto port = start(serve("127.0.0.1:0", with_tls()));
  constexpr auto kOver = std::filesystem::copy_options::overwrite_existing;
  const auto next = other.issue("next");
  std::filesystem::copy_file(next.cert, files.cert, kOver);  // without its key: no good
  server->signal(SIGHUP);
  EXPECT_EQ(list_queues(port, ours).exit_code, 0);
  std::filesystem::copy_file(next.key, files.key, kOver);
  server->signal(SIGHUP);
  for (int looks = 0; list_queues(port, other).exit_code != 0; ++looks)  // until it has
    ASSERT_LT(looks, 1'000) << server->err();
  EXPECT_EQ(list_queues(port, ours).exit_code, 3);
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_NE(server->err().find("read the certificate again"), std::string::npos) << server->err();
}

TEST_F(ServeWithTls, ListensBeyondLoopbackOnlyWithTlsAndAToken) {
  const auto without_tls = run_pawl(serve("0.0.0.0:0"));
  EXPECT_EQ(without_tls.exit_code, 2);
  EXPECT_NE(without_tls.err.find("tls.cert"), std::string::npos) << without_tls.err;
  const auto without_token = run_pawl(serve("0.0.0.0:0", with_tls()));
  EXPECT_EQ(without_token.exit_code, 2);
  EXPECT_NE(without_token.err.find("pawl token create"), std::string::npos) << without_token.err;

  const auto local = start(serve("127.0.0.1:0", with_tls()));
  ASSERT_EQ(run_pawl({"token", "create", "--role", "admin", "--for", "*", "--address",
                      "https://127.0.0.1:" + local, "--ca-cert", ours.file()})
                .exit_code,
            0);
  const auto port = start(serve("0.0.0.0:0", with_tls()));
  const auto refused = list_queues(port, ours);
  EXPECT_EQ(refused.exit_code, 1) << "it is reached, and wants a token";
  EXPECT_NE(refused.err.find("token"), std::string::npos) << refused.err;
}

TEST_F(ServeWithTls, NamesTheSettingThatIsNoGood) {
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
