#include "worker/handlers.hpp"

#include <gtest/gtest.h>

namespace pawl::worker {
namespace {

std::string command_for(const Handlers& handlers, const std::string& type) {
  const auto* handler = handlers.find(type);
  return handler == nullptr ? "" : std::get<ShellHandler>(*handler).command;
}

TEST(HandlerRules, PreferTheExactTypeThenTheLongestPrefix) {
  Handlers handlers;
  for (const auto* rule : {"mail.*=a", "mail.send=b", "mail.send.*=c=d"})
    ASSERT_TRUE(handlers.add_shell(rule).ok());
  EXPECT_EQ(command_for(handlers, "mail.send"), "b");
  EXPECT_EQ(command_for(handlers, "mail.send.now"), "c=d");
  EXPECT_EQ(command_for(handlers, "mail.get"), "a");
  EXPECT_EQ(command_for(handlers, "post"), "");
}

TEST(HandlerRules, ListTheirTypesAsWritten) {
  Handlers handlers;
  ASSERT_TRUE(handlers.add_shell("a=x").ok());
  ASSERT_TRUE(handlers.add_http("b*=http://127.0.0.1:9000/tasks").ok());
  EXPECT_EQ(handlers.types(), (std::vector<std::string>{"a", "b*"}));
}

TEST(HandlerRules, AreRejectedIfInvalidOrDuplicate) {
  Handlers handlers;
  for (const auto* rule : {"", "a", "=x", "a="}) EXPECT_FALSE(handlers.add_shell(rule).ok()) << rule;
  EXPECT_FALSE(handlers.add_http("a=nowhere").ok());
  ASSERT_TRUE(handlers.add_shell("a=x").ok());
  EXPECT_FALSE(handlers.add_shell("a=y").ok());
}

}  // namespace
}  // namespace pawl::worker
