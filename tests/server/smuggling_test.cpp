// Requests that two parsers could interpret differently (S18): bytes in the place of a body must never be
// parsed as the next request. The server refuses each, executes nothing of it or after it, and closes the
// connection.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

constexpr std::string_view kTask = R"({"type":"a"})";

class Smuggling : public ServerTest {
 protected:
  struct Framing {
    std::string_view name;
    std::string fields;  // header fields besides Host
    std::string body = {};
    std::string version = "1.1";
  };

  void expect_refused(const Framing& framing) {
    SCOPED_TRACE(framing.name);
    RawClient client{front.port()};
    client.send(fmt::format("POST /v1/default/tasks HTTP/{}\r\nHost: localhost\r\n{}\r\n{}{}",
                            framing.version, framing.fields, framing.body, post("/v1/default/tasks", kTask)));
    EXPECT_EQ(status_of(client.receive()), 400);
    EXPECT_TRUE(client.is_closed()) << "there was a second answer";
    EXPECT_TRUE(runtime.api().list_tasks({})->items.empty());
  }

  [[nodiscard]] int status_with(const std::string& fields, const std::string& body,
                                std::string_view version = "1.1") const {
    RawClient client{front.port()};
    client.send(
        fmt::format("POST /v1/default/tasks HTTP/{}\r\nHost: localhost\r\n{}\r\n{}", version, fields, body));
    return status_of(client.receive());
  }
};

const std::string kChunked = fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", kTask.size(), kTask);

TEST_F(Smuggling, WithATransferEncodingOtherThanChunkedIsRejected) {
  for (const std::string_view coding :
       {"identity", "gzip", "xchunked", "chunkedx", "chunked, identity", "", "gzip, chunked", "chunked;q=1",
        "chunked, chunked", "\"chunked\"", ", chunked", "chunked,"}) {
    expect_refused({.name = coding, .fields = fmt::format("Transfer-Encoding: {}\r\n", coding)});
    expect_refused(
        {.name = coding, .fields = fmt::format("Transfer-Encoding: {}\r\n", coding), .body = kChunked});
  }
}

TEST_F(Smuggling, WithTwoTransferEncodingsIsRejected) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  expect_refused({.name = "twice", .fields = chunked + chunked, .body = kChunked});
  expect_refused({.name = "first", .fields = "Transfer-Encoding: identity\r\n" + chunked, .body = kChunked});
  expect_refused({.name = "second", .fields = chunked + "Transfer-Encoding: identity\r\n", .body = kChunked});
}

TEST_F(Smuggling, WithALengthAndATransferEncodingIsRejected) {
  const std::string length = fmt::format("Content-Length: {}\r\n", kTask.size());
  for (const std::string_view coding : {"chunked", "identity", "gzip"}) {
    const std::string encoding = fmt::format("Transfer-Encoding: {}\r\n", coding);
    expect_refused({.name = "before", .fields = length + encoding, .body = std::string{kTask}});
    expect_refused({.name = "after", .fields = encoding + length, .body = std::string{kTask}});
  }
}

TEST_F(Smuggling, WithChunksInHttpOneZeroIsRejected) {
  expect_refused(
      {.name = "1.0", .fields = "Transfer-Encoding: chunked\r\n", .body = kChunked, .version = "1.0"});
}

TEST_F(Smuggling, WithADuplicateLengthIsRejected) {
  const std::string length = fmt::format("Content-Length: {}\r\n", kTask.size());
  expect_refused({.name = "two fields", .fields = length + length, .body = std::string{kTask}});
  for (const std::string_view given :
       {"12, 12", "12,", ",12", "12 12", "+12", "-12", "0x0c", "12;", "1e1", ""})
    expect_refused(
        {.name = given, .fields = fmt::format("Content-Length: {}\r\n", given), .body = std::string{kTask}});
}

TEST_F(Smuggling, WithAFoldedFieldIsRejected) {
  for (const std::string_view fold : {"X-A: b\r\n c\r\n", "X-A: b\r\n\tc\r\n", "X-A:\r\n b\r\n",
                                      "Transfer-Encoding:\r\n chunked\r\n", "X-A: b\r\n \r\n"})
    expect_refused({.name = fold, .fields = std::string{fold}});
  RawClient client{front.port()};
  client.send("GET /healthz HTTP/1.1\r\n X-A: b\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 400);
}

TEST_F(Smuggling, WithAFoldedFieldInPiecesIsRejected) {
  RawClient client{front.port()};
  for (const char c : get("/healthz", "X-A: b\r\n c\r\n")) client.send({&c, 1});
  EXPECT_EQ(status_of(client.receive()), 400);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(Smuggling, IsNotSuspectedInValidSpellings) {
  EXPECT_EQ(status_with("Transfer-Encoding: chunked\r\n", kChunked), 201);
  EXPECT_EQ(status_with("transfer-encoding:  Chunked \r\n", kChunked), 201);
  EXPECT_EQ(status_with("content-length:12\r\n", std::string{kTask}), 201);
  EXPECT_EQ(status_with("Content-Length: 012\r\n", std::string{kTask}), 201);
  EXPECT_EQ(status_with("Content-Length: 12\r\n", std::string{kTask}, "1.0"), 201);
}

class Trailers : public Smuggling {
 protected:
  // A complete body except for its last chunk, which is `end`.
  [[nodiscard]] int status_of_end(const std::string& end) const {
    return status_with("Transfer-Encoding: chunked\r\n",
                       fmt::format("{:x}\r\n{}\r\n{}", kTask.size(), kTask, end));
  }
};

TEST_F(Trailers, AreLimitedLikeHeaders) {
  const auto many = [](int count) {
    std::string fields;
    for (int i = 0; i < count; ++i) fields += fmt::format("X-{}: a\r\n", i);
    return "0\r\n" + fields + "\r\n";
  };
  const auto long_one = [](std::size_t size) {
    return "0\r\nX-A: " + std::string(size - 5, 'a') + "\r\n\r\n";
  };
  EXPECT_EQ(status_of_end(many(100)), 201);
  EXPECT_EQ(status_of_end(many(101)), 431);
  EXPECT_EQ(status_of_end(long_one(8'192)), 201);
  EXPECT_EQ(status_of_end(long_one(8'193)), 431);
  EXPECT_EQ(status_of_end("0\r\nX-A: " + std::string(8'000, 'a') + "\r\nX-B: " + std::string(8'000, 'b') +
                          "\r\nX-C: " + std::string(8'000, 'c') + "\r\nX-D: " + std::string(8'000, 'd') +
                          "\r\nX-E: " + std::string(8'000, 'e') + "\r\n\r\n"),
            431);
}

TEST_F(Trailers, AreRejectedIfFolded) { EXPECT_EQ(status_of_end("0\r\nX-A: b\r\n c\r\n\r\n"), 400); }

TEST_F(Trailers, DoNotAffectTheRequest) {
  EXPECT_EQ(status_of_end("0\r\nIdempotency-Key: k\r\n\r\n"), 201);
  EXPECT_EQ(status_of_end("0\r\nIdempotency-Key: k\r\n\r\n"), 201);
  EXPECT_EQ(runtime.api().list_tasks({})->items.size(), 2U) << "the second was no repetition of the first";
}

TEST_F(Trailers, AreReadAfterChunksWithLimitedExtensions) {
  const auto extended = [](std::size_t size) {
    return fmt::format("{:x};{}\r\n{}\r\n0\r\n\r\n", kTask.size(), std::string(size - 1, 'x'), kTask);
  };
  const auto ask = [&](const std::string& body) {
    return status_with("Transfer-Encoding: chunked\r\n", body);
  };
  EXPECT_EQ(ask(extended(255)), 201);
  EXPECT_EQ(ask(extended(256)), 201);
  EXPECT_EQ(ask(extended(257)), 431);
  EXPECT_EQ(status_of_end("0;" + std::string(255, 'x') + "\r\n\r\n"), 201);
  EXPECT_EQ(status_of_end("0;" + std::string(256, 'x') + "\r\n\r\n"), 431);
}

class TwoTokens : public Auth {};

TEST_F(TwoTokens, AreRejectedWhicheverIsValid) {
  const std::string good = token_in(make("admin", "*", ""));
  for (const std::string& fields : {"Authorization: Bearer " + good + "\r\nAuthorization: Bearer " + good,
                                    "Authorization: Bearer " + good + "\r\nAuthorization: Bearer nothing",
                                    "Authorization: Bearer nothing\r\nAuthorization: Bearer " + good}) {
    RawClient client{front.port()};
    client.send(get("/v1/default/queues", fields + "\r\n"));
    EXPECT_EQ(status_of(client.receive()), 400) << fields;
    EXPECT_TRUE(client.is_closed());
  }
}

}  // namespace
}  // namespace pawl::testing
