// TLS: which certificates are trusted, and a certificate that is replaced while the server runs.
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

#include "client/http_caller.hpp"
#include "tests/server/fixture.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using server::TlsFiles;

// A base class, so that the files exist before the server.
struct Files {
  TemporaryFolder folder;
  Authority ours{folder.path(), "ours"};
  Authority other{folder.path(), "other"};
  CertificateFiles server = ours.issue("server");
};

class TlsTest : public Files, public ServerTest {
 protected:
  explicit TlsTest(bool asks_clients = false)
      : ServerTest({.tls = {.cert = server.cert,
                            .key = server.key,
                            .client_ca = asks_clients ? ours.file() : std::string{}}}) {}

  client::HttpTarget target(const Authority& trusted, const CertificateFiles& own = {}) const {
    return {.address = {.tls = true, .host = "127.0.0.1", .port = std::to_string(front.port())},
            .tls = {.ca_cert = trusted.file(), .cert = own.cert, .key = own.key}};
  }
  void replace_server_certificate(const CertificateFiles& by) const {
    constexpr auto kOver = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(by.cert, server.cert, kOver);
    std::filesystem::copy_file(by.key, server.key, kOver);
  }
};

class TlsOfServer : public TlsTest {};

TEST_F(TlsOfServer, ServesClientsThatTrustIt) {
  client::HttpCaller caller{target(ours), random};
  EXPECT_EQ(caller.call({.method = "POST", .path = "/v1/default/tasks", .body = R"({"type":"a"})"})->status,
            201);
  EXPECT_EQ(caller.call({.path = "/v1/default/queues"})->status, 200);
  auto by_name = target(ours);
  by_name.address.host = "localhost";
  EXPECT_TRUE(client::HttpCaller(by_name, random).call({.path = "/healthz"}).ok());
}

TEST_F(TlsOfServer, IsRejectedByClientsThatTrustAnotherAuthority) {
  client::HttpCaller caller{target(other), random};
  const auto refused = caller.call({.path = "/healthz"});
  EXPECT_EQ(refused.problem().code, ProblemCode::unavailable);
  EXPECT_NE(refused.problem().detail.find("certificate verify failed"), std::string::npos)
      << refused.problem().detail;
}

TEST_F(TlsOfServer, IsRejectedUnderAnotherName) {
  replace_server_certificate(ours.issue("elsewhere", "DNS:elsewhere.example"));
  ASSERT_TRUE(front.http().reload_certificate().ok());
  client::HttpCaller caller{target(ours), random};
  EXPECT_EQ(caller.call({.path = "/healthz"}).problem().code, ProblemCode::unavailable);
}

TEST_F(TlsOfServer, AnswersPlainHttpWithAnErrorAndCloses) {
  RawClient client{front.port()};
  client.send(get("/healthz"));
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), 400);
  EXPECT_NE(answer.find("use https://"), std::string::npos) << answer;
  EXPECT_TRUE(client.is_closed());
}

// The client sends the whole body, which is more than the sockets hold, before it reads the response.
TEST_F(TlsOfServer, LetsTheRejectionOfALargeBodyBeRead) {
  client::HttpCaller caller{target(ours), random};
  const auto refused =
      caller.send({.method = "POST", .path = "/v1/default/tasks", .body = std::string(32U << 20U, 'x')});
  ASSERT_TRUE(refused.ok()) << refused.problem().detail;
  EXPECT_EQ(refused->status, 413);
}

TEST_F(TlsOfServer, UsesANewCertificateForNewConnectionsAndKeepsOldOnes) {
  client::HttpCaller before{target(ours), random};
  ASSERT_TRUE(before.call({.path = "/healthz"}).ok());
  replace_server_certificate(other.issue("next"));
  ASSERT_TRUE(front.http().reload_certificate().ok());
  EXPECT_TRUE(client::HttpCaller(target(other), random).call({.path = "/healthz"}).ok());
  EXPECT_FALSE(client::HttpCaller(target(ours), random).call({.path = "/healthz"}).ok());
  EXPECT_TRUE(before.call({.path = "/healthz"}).ok());
  EXPECT_EQ(front.metrics().connections(), 1) << "the old connection was not made anew";
}

TEST_F(TlsOfServer, KeepsItsCertificateIfTheNewOneIsInvalid) {
  std::ofstream{server.cert} << "no certificate";
  const auto refused = front.http().reload_certificate();
  EXPECT_NE(refused.problem().detail.find("tls.cert"), std::string::npos) << refused.problem().detail;
  EXPECT_TRUE(client::HttpCaller(target(ours), random).call({.path = "/healthz"}).ok());
}

// The result of a handshake that offers only this TLS 1.2 cipher; empty if it fails.
std::string agreed_cipher(std::uint16_t port, const char* cipher) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free};
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_set_cipher_list(context.get(), cipher), 1) << cipher;
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> connection{BIO_new_ssl_connect(context.get()),
                                                                 &BIO_free_all};
  BIO_set_conn_hostname(connection.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
  if (BIO_do_handshake(connection.get()) != 1) return "";
  SSL* tls = nullptr;
  BIO_get_ssl(connection.get(), &tls);
  return SSL_get_cipher_name(tls);
}

TEST_F(TlsOfServer, NegotiatesOnlyForwardSecrecyAndAuthenticatedEncryption) {
  for (const char* weak : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM"})
    EXPECT_EQ(agreed_cipher(front.port(), weak), "") << weak;
  for (const char* strong : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"})
    EXPECT_EQ(agreed_cipher(front.port(), strong), strong);
  replace_server_certificate(ours.issue_rsa("rsa"));
  ASSERT_TRUE(front.http().reload_certificate().ok());
  for (const char* weak : {"AES128-SHA", "AES256-SHA256", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA",
                           "ECDHE-RSA-AES256-SHA384"})
    EXPECT_EQ(agreed_cipher(front.port(), weak), "") << weak;
  EXPECT_EQ(agreed_cipher(front.port(), "ECDHE-RSA-AES256-GCM-SHA384"), "ECDHE-RSA-AES256-GCM-SHA384");
}

class TlsOfBoth : public TlsTest {
 protected:
  TlsOfBoth() : TlsTest(true) {}
};

TEST_F(TlsOfBoth, ServesClientsWithACertificateOfTheAuthority) {
  client::HttpCaller caller{target(ours, ours.issue("client")), random};
  EXPECT_EQ(caller.call({.path = "/v1/default/queues"})->status, 200);
}

TEST_F(TlsOfBoth, RejectsClientsWithNoOrAnotherCertificate) {
  EXPECT_EQ(client::HttpCaller(target(ours), random).call({.path = "/healthz"}).problem().code,
            ProblemCode::unavailable);
  EXPECT_EQ(client::HttpCaller(target(ours, other.issue("stranger")), random)
                .call({.path = "/healthz"})
                .problem()
                .code,
            ProblemCode::unavailable);
}

TEST(TlsSettings, AreNamedIfInvalid) {
  const Files files;
  const CertificateFiles second = files.ours.issue("second");
  const auto refusal = [](const TlsFiles& given) {
    server::Metrics counted;
    server::HttpServer http{{.tls = given}, counted};
    const core::Status listening = http.listen();
    return listening ? "" : listening.problem().detail;
  };
  const std::string none = files.folder.path() + "/none.pem";
  EXPECT_NE(refusal({.cert = none, .key = files.server.key}).find("tls.cert"), std::string::npos);
  EXPECT_NE(refusal({.cert = files.server.cert}).find("tls.key"), std::string::npos);
  EXPECT_NE(refusal({.key = files.server.key}).find("tls.cert"), std::string::npos);
  EXPECT_NE(refusal({.cert = files.server.cert, .key = second.key}).find("is not the key of"),
            std::string::npos);
  EXPECT_NE(refusal({.cert = files.server.cert, .key = files.server.cert}).find("tls.key"),
            std::string::npos);
  EXPECT_NE(refusal({.cert = files.server.cert, .key = files.server.key, .client_ca = files.server.key})
                .find("tls.client_ca"),
            std::string::npos);
  EXPECT_EQ(refusal({.cert = files.server.cert, .key = files.server.key, .client_ca = files.ours.file()}),
            "");
}

TEST(TlsOfClients, NamesTheInvalidFile) {
  const Files files;
  runtime::SystemRandom random;
  const auto refusal = [&](const client::TlsFiles& given) {
    client::HttpCaller caller{{.address = {.tls = true, .host = "127.0.0.1", .port = "1"}, .tls = given},
                              random};
    return caller.send({.path = "/"}).problem().detail;
  };
  EXPECT_NE(refusal({.ca_cert = files.server.key}).find("ca-cert"), std::string::npos);
  EXPECT_NE(refusal({.cert = files.folder.path() + "/none.pem"}).find("client-cert"), std::string::npos);
  EXPECT_NE(refusal({.cert = files.server.cert, .key = files.ours.issue("b").key}).find("client-key"),
            std::string::npos);
}

}  // namespace
}  // namespace pawl::testing
