// Fairness keys in requests and answers: the reader accepts the writer's output.
#include <gtest/gtest.h>

#include "wire/task.hpp"
#include "wire/task_read.hpp"

namespace pawl::wire {
namespace {

std::string text_of(const core::TaskSpec& spec) {
  Writer out;
  write_task_spec(out, spec);
  return out.take();
}

std::string text_of(const core::Task& task) {
  Writer out;
  out.begin_object();
  write_task_fields(out, task);
  return out.end_object().take();
}

TEST(FairnessOnTheWire, OfARequestRoundTrips) {
  const std::string text =
      text_of(core::TaskSpec{.type = "t", .fairness_key = "ada \"l\"", .fairness_weight = 0.3});
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  const core::TaskSpec read = read_task_spec(in);
  in.finish();
  EXPECT_FALSE(mistakes.any()) << text;
  EXPECT_EQ(read.fairness_key, "ada \"l\"");
  EXPECT_EQ(read.fairness_weight, 0.3);
}

TEST(FairnessOnTheWire, OfATaskIsOmittedIfNotSet) {
  core::Task task{.ns = "default", .queue = "default", .type = "t"};
  EXPECT_EQ(text_of(task).find("fairness"), std::string::npos);
  task.fairness = core::Fairness{.key = "ada", .weight = 2.5};
  const std::string text = text_of(task);
  EXPECT_NE(text.find(R"("fairness_key":"ada","fairness_weight":2.5,)"), std::string::npos) << text;
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  EXPECT_EQ(read_task(in).fairness, task.fairness);
  EXPECT_FALSE(mistakes.any());
}

TEST(FairnessOnTheWire, OfTheWrongTypeIsRejectedByItsPath) {
  const std::string text = R"({"tasks":[{"type":"a","fairness_key":7,"fairness_weight":"2"}]})";
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  (void)read_task_specs(in);
  const auto errors = mistakes.problem().errors;
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].field, "tasks[0].fairness_key");
  EXPECT_EQ(errors[1].field, "tasks[0].fairness_weight");
}

}  // namespace
}  // namespace pawl::wire
