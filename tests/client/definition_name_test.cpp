#include "client/definition_name.hpp"

#include <gtest/gtest.h>

namespace pawl::client {
namespace {

TEST(DefinitionName, IsReadFromYamlAndJson) {
  EXPECT_EQ(*definition_name({.text = "tasks: []\nname: order\n"}), "order");
  EXPECT_EQ(*definition_name({.text = R"({"name":"order"})", .is_json = true}), "order");
}

TEST(DefinitionName, IsRequired) {
  EXPECT_EQ(definition_name({.text = "tasks: []"}).problem().errors.at(0).field, "name");
  EXPECT_EQ(definition_name({.text = "[1]"}).problem().errors.at(0).field, "name");
  EXPECT_EQ(definition_name({.text = "a: 1\nb: [\n"}).problem().code, core::ProblemCode::invalid_argument);
}

}  // namespace
}  // namespace pawl::client
