// The target of a request (RFC 9112, section 3.2), and header fields that may appear only once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/json/json.hpp"
#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

class Addressing : public JsonServerTest {
 protected:
  struct Answered {
    int status = 0;
    std::string head = {};
    Json json = {};
    bool stays_open = false;
  };
  // `lines`: request line and fields.
  [[nodiscard]] Answered answer_to(const std::string& lines, const std::string& body = "") const {
    RawClient client{front.port()};
    client.send(lines + "\r\n" + body);
    const std::string answer = client.receive();
    client.send(get("/healthz"));
    return {.status = status_of(answer),
            .head = answer.substr(0, answer.find("\r\n\r\n") + 2),
            .json = Json::parse(body_of(answer), nullptr, false),
            .stays_open = status_of(client.receive()) == 200};
  }
  [[nodiscard]] int status_with_host(const std::string& host) const {
    return answer_to("GET /v1/default/queues HTTP/1.1\r\nHost: " + host + "\r\n").status;
  }
  void expect_refused(const std::string& lines, const std::string& field) const {
    const Answered refused = answer_to(lines);
    EXPECT_EQ(refused.status, 400) << lines;
    EXPECT_EQ(refused.json["code"], "invalid_argument") << lines << refused.json;
    EXPECT_EQ(refused.json["errors"][0]["field"], field) << lines << refused.json;
    EXPECT_FALSE(refused.stays_open) << lines;
  }
};

class OldHttp : public Addressing {};

TEST_F(OldHttp, KeepsTheConnectionOnRequest) {
  RawClient client{front.port()};
  for (int i = 0; i < 3; ++i) {
    client.send("GET /v1/default/queues HTTP/1.0\r\nHost: localhost\r\nConnection: Keep-Alive\r\n\r\n");
    const std::string answer = client.receive();
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(field_of(answer, "Connection"), "keep-alive");
    EXPECT_FALSE(field_of(answer, "Content-Length").empty());
  }
}

TEST_F(OldHttp, KeepsTheConnectionAfterARejection) {
  RawClient client{front.port()};
  for (const int status : {404, 200}) {
    client.send(fmt::format("GET /{} HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n",
                            status == 404 ? "nothing" : "healthz"));
    const std::string answer = client.receive();
    EXPECT_EQ(status_of(answer), status);
    EXPECT_EQ(field_of(answer, "Connection"), "keep-alive");
  }
}

TEST_F(OldHttp, ClosesTheConnectionOtherwise) {
  for (const std::string_view fields : {"", "Connection: close\r\n", "Connection: keep-alive, close\r\n"}) {
    RawClient client{front.port()};
    client.send(fmt::format("GET /healthz HTTP/1.0\r\nHost: localhost\r\n{}\r\n", fields));
    EXPECT_EQ(field_of(client.receive(), "Connection"), "close") << fields;
    EXPECT_TRUE(client.is_closed()) << fields;
  }
}

TEST_F(OldHttp, GetsNo100Continue) {
  const std::string body = R"({"type":"a"})";
  const Answered made = answer_to(
      "POST /v1/default/tasks HTTP/1.0\r\nHost: localhost\r\n"
      "Expect: 100-continue\r\nContent-Length: 12\r\n",
      body);
  EXPECT_EQ(made.status, 201) << made.head;
}

TEST_F(OldHttp, LeavesTheConnectionFieldOutForNewerClients) {
  EXPECT_EQ(answer_to("GET /healthz HTTP/1.1\r\nHost: localhost\r\n").head.find("Connection:"),
            std::string::npos);
}

class Targets : public Addressing {};

TEST_F(Targets, MayBeAbsoluteUrls) {
  for (const std::string_view target :
       {"http://localhost/v1/default/queues", "HTTP://localhost/v1/default/queues?limit=1",
        "https://LOCALHOST:7717/v1/default/queues", "http://127.0.0.1:/v1/default/queues"}) {
    const Answered got = answer_to(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n", target));
    EXPECT_EQ(got.status, 200) << target << got.json;
    EXPECT_TRUE(got.json["items"].is_array()) << target;
  }
  EXPECT_EQ(answer_to("GET http://localhost HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n").status,
            answer_to("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n").status);
}

TEST_F(Targets, TakePrecedenceOverTheHostField) {
  EXPECT_EQ(answer_to("GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n").status, 200);
  EXPECT_EQ(answer_to("GET http://evil.example/v1/default/queues HTTP/1.1\r\nHost: localhost\r\n").status,
            421);
  expect_refused("GET http://localhost/v1/default/queues HTTP/1.1\r\n", "Host");
  expect_refused("GET http://localhost/healthz HTTP/1.1\r\nHost: a, b\r\n", "Host");
}

TEST_F(Targets, OfOtherFormsAreRejected) {
  for (const std::string_view line :
       {"GET ftp://localhost/healthz", "GET file:///etc/passwd", "GET http:/healthz", "GET http://",
        "GET http:///healthz", "GET http://user@localhost/healthz",
        "GET http://localhost,evil.example/healthz", "GET http://localhost:a/healthz", "GET healthz", "GET *",
        "POST *", "GET localhost:7717", "CONNECT localhost:7717", "CONNECT /healthz",
        "CONNECT http://localhost/", "GET /healthz#part", "GET http://localhost/healthz#part"})
    expect_refused(fmt::format("{} HTTP/1.1\r\nHost: localhost\r\n", line), "target");
}

TEST_F(Targets, OfTheWholeServerReturnItsMethods) {
  for (const std::string_view target : {"*", "http://localhost"}) {
    const Answered got = answer_to(fmt::format("OPTIONS {} HTTP/1.1\r\nHost: localhost\r\n", target));
    EXPECT_EQ(got.status, 200) << target;
    EXPECT_EQ(field_of(got.head, "Allow"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    EXPECT_EQ(field_of(got.head, "Content-Length"), "0");
    EXPECT_TRUE(got.stays_open);
  }
  EXPECT_EQ(answer_to("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n").status, 421);
}

class Hosts : public Addressing {};

TEST_F(Hosts, AreComparedWithoutCaseAndPort) {
  for (const std::string host :
       {"localhost", "LOCALHOST", "LocalHost:80", "localhost:443", "localhost:", "127.0.0.1:7717"})
    EXPECT_EQ(status_with_host(host), 200) << host;
}

TEST_F(Hosts, AreRejectedIfInvalid) {
  for (const std::string host : {"",
                                 "localhost/",
                                 "localhost/v1",
                                 "localhost, localhost",
                                 "localhost,evil.example",
                                 "user@localhost",
                                 "user:secret@localhost",
                                 "localhost:80:80",
                                 "localhost:http",
                                 "localhost:65536",
                                 "localhost:-1",
                                 "a b",
                                 "http://localhost",
                                 "localhost?",
                                 "localhost#",
                                 "loc%61lhost",
                                 "[::1",
                                 "::1",
                                 "[localhost]",
                                 "[::1]x",
                                 ":80",
                                 "localhost\\",
                                 "lo\xc3\xa9",
                                 "lo\xff"})
    expect_refused("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n", "Host");
}

TEST_F(Hosts, OfOtherServersAreMisdirected) {
  for (const std::string host :
       {"evil.example", "localhost.", "localhost.evil.example", "[::1]", "192.0.2.1"}) {
    const Answered got = answer_to("GET /v1/default/queues HTTP/1.1\r\nHost: " + host + "\r\n");
    EXPECT_EQ(got.status, 421) << host;
    EXPECT_EQ(got.json["code"], "misdirected_request");
  }
}

TEST_F(Hosts, AreRequiredByAllRequestsExceptProbes) {
  for (const char* probe : {"/healthz", "/readyz"}) {
    EXPECT_EQ(answer_to(fmt::format("GET {} HTTP/1.1\r\n", probe)).status, 200) << probe;
    RawClient head{front.port()};
    head.send(fmt::format("HEAD {} HTTP/1.1\r\nConnection: close\r\n\r\n", probe));
    EXPECT_EQ(status_of(head.receive_all()), 200) << probe;
    EXPECT_EQ(answer_to(fmt::format("GET {} HTTP/1.0\r\nConnection: keep-alive\r\n", probe)).status, 200)
        << probe;
  }
  expect_refused("GET /v1/default/queues HTTP/1.1\r\n", "Host");
  expect_refused("GET /metrics HTTP/1.1\r\n", "Host");
  const Answered old = answer_to("GET /v1/default/queues HTTP/1.0\r\n");
  EXPECT_EQ(old.status, 421) << "a name is missing where names are compared";
  EXPECT_NE(old.json["detail"].get<std::string>().find("Host"), std::string::npos) << old.json;
}

TEST_F(Hosts, AreComparedWithAnOriginInAnySpelling) {
  const auto from = [&](const std::string& origin, const std::string& host) {
    return answer_to(
               fmt::format("GET /v1/default/queues HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\n", host, origin))
        .status;
  };
  EXPECT_EQ(from("http://localhost", "LocalHost:80"), 200);
  EXPECT_EQ(from("https://localhost:443", "localhost"), 200);
  EXPECT_EQ(from("http://localhost:7717", "localhost:7717"), 200);
  EXPECT_EQ(from("http://localhost:7718", "localhost:7717"), 403);
  EXPECT_EQ(from("http://localhost:443", "localhost"), 403);
  EXPECT_EQ(from("http://localhost.evil.example", "localhost"), 403);
  EXPECT_EQ(from("null", "localhost"), 403);
}

class Fields : public Addressing {};

TEST_F(Fields, WithASingleValueAreRejectedIfRepeated) {
  for (const std::string field :
       {"Host: localhost", "Authorization: Bearer a", "Content-Type: application/json", "If-Match: 1",
        "Idempotency-Key: k", "Origin: http://localhost", "Last-Event-ID: 1"}) {
    const std::string name = field.substr(0, field.find(':'));
    const std::string host = name == "Host" ? "" : "Host: localhost\r\n";
    const std::string lower = field[0] == 'H' ? "host: localhost" : field;
    expect_refused(fmt::format("GET /healthz HTTP/1.1\r\n{}{}\r\n{}\r\n", host, field, lower), name);
    expect_refused(fmt::format("GET /healthz HTTP/1.1\r\n{}{}:\r\n{}\r\n", host, name, field), name);
  }
}

TEST_F(Fields, ProtectingARequestAreRejectedIfEmpty) {
  for (const char* name : {"If-Match", "Idempotency-Key"}) {
    expect_refused(fmt::format("GET /v1/default/queues HTTP/1.1\r\nHost: localhost\r\n{}:\r\n", name), name);
    expect_refused(fmt::format("GET /v1/default/queues HTTP/1.1\r\nHost: localhost\r\n{}: \t \r\n", name),
                   name);
  }
  EXPECT_TRUE(runtime.api().list_tasks({})->items.empty());
}

TEST_F(Fields, WithListsOfValuesMayBeRepeated) {
  EXPECT_EQ(answer_to("GET /healthz HTTP/1.1\r\nHost: localhost\r\nAccept: a/b\r\nAccept: c/d\r\n"
                      "If-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n")
                .status,
            200);
}

class Codes : public Addressing {};

TEST_F(Codes, AreSpecificToTheHttpStatus) {
  const std::string host = "Host: localhost\r\n";
  const Answered method = answer_to("DELETE /v1/default/tasks HTTP/1.1\r\n" + host);
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.json["code"], "method_not_allowed");
  EXPECT_EQ(method.json["status"], 405);
  EXPECT_EQ(field_of(method.head, "Allow"), "POST, GET, HEAD");
  const Answered line = answer_to("GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\n" + host);
  EXPECT_EQ(line.status, 414);
  EXPECT_EQ(line.json["code"], "uri_too_long");
  const Answered name = answer_to("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n");
  EXPECT_EQ(name.status, 421);
  EXPECT_EQ(name.json["code"], "misdirected_request");
  const Answered header =
      answer_to("GET /healthz HTTP/1.1\r\n" + host + "X: " + std::string(9'000, 'a') + "\r\n");
  EXPECT_EQ(header.status, 431);
  EXPECT_EQ(header.json["code"], "header_too_large");
  const Answered coding = answer_to("GET /healthz HTTP/1.1\r\n" + host + "Content-Encoding: gzip\r\n");
  EXPECT_EQ(coding.status, 415);
  EXPECT_EQ(coding.json["code"], "unsupported_media_type");
}

class ProblemBodies : public Addressing {};

TEST_F(ProblemBodies, AreUtf8ForAnyRequest) {
  const auto expect_utf8 = [&](const std::string& request) {
    RawClient client{front.port()};
    client.send(request);
    const std::string body = body_of(client.receive());
    EXPECT_TRUE(core::utf8_length(body)) << body;
    EXPECT_FALSE(core::json_error(body)) << body;
    EXPECT_GE(Json::parse(body)["status"], 400) << body;
  };
  for (const std::string_view bad :
       {"\xff", "a\xc3", "\xed\xa0\x80", "\xf0\x9f\x98", "\xc0\xaf", "\x80\x80"}) {
    expect_utf8(get(fmt::format("/v1/default/{}", bad)));
    expect_utf8(get(fmt::format("/v1/{}/tasks", bad)));
    expect_utf8(get(fmt::format("/v1/default/tasks/{}", bad)));
    expect_utf8(get(fmt::format("/v1/default/tasks?{}=1", bad)));
    expect_utf8(get(fmt::format("/v1/default/tasks?status={}", bad)));
    expect_utf8(get("/v1/default/tasks/01a1e05c-3820-7001-9748-d023fc4d66c2/",
                    fmt::format("X-Request-Id: {}\r\n", bad)));
    expect_utf8(post("/v1/default/runs/01a1e05c-3820-7001-9748-d023fc4d66c2/cancel", "{}",
                     fmt::format("If-Match: {}\r\n", bad)));
    expect_utf8(post("/v1/default/tasks", R"({"type":"a"})", fmt::format("Idempotency-Key: {}\r\n", bad)));
    expect_utf8(post("/v1/default/tasks", fmt::format(R"({{"{}":1}})", bad)));
    expect_utf8(post("/v1/default/tasks", fmt::format(R"({{"type":"{}"}})", bad)));
    expect_utf8(fmt::format("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", bad));
    expect_utf8(fmt::format("{} /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", bad));
  }
}

TEST_F(ProblemBodies, EscapeBytesThatAreNotUtf8) {
  const Answered got = answer_to(
      "POST /v1/default/tasks?a\xff"
      "b=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n",
      R"({"type":"a"})");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.json["errors"][0]["field"],
            "a\xef\xbf\xbd"
            "b")
      << got.json;
}

}  // namespace
}  // namespace pawl::testing
