// agent [ADDRESS] [LEDGER]: a loop of model calls and tool calls. Each answer is stored, so a crash in turn
// seven does not pay for the first six again. The model here is a table; in a real program it is an HTTP
// call.

#include <iostream>

#include <pawl/pawl.hpp>

#include "ledger.hpp"

using namespace std::chrono_literals;

namespace {

struct Reply {
  std::string tool = {};  // empty: `text` is the answer
  std::string text = {};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reply, tool, text)

Reply ask_model(const std::vector<std::string>& conversation) {
  switch (conversation.size()) {
    case 1: return {.tool = "search", .text = "height of the Eiffel tower"};
    case 3: return {.tool = "convert", .text = "330 m in feet"};
    default: return {.text = "It is " + conversation.back() + " high."};
  }
}

std::string use_tool(const Reply& call) { return call.tool == "search" ? "330 m" : "1083 feet"; }

}  // namespace

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "sqlite:agent.db");
  const Ledger ledger{argc > 2 ? argv[2] : "/dev/null"};

  pawl::Worker worker{pawl, {.lease = 1s}};
  worker.workflow("agent", [&](pawl::Workflow& wf, const std::string& question) {
    std::vector<std::string> conversation{question};
    for (int turn = 1; turn <= 10; ++turn) {
      const auto reply = wf.step("model", [&] {
        ledger.write("model " + std::to_string(turn));
        return ask_model(conversation);
      });
      if (reply.tool.empty()) return reply.text;
      wf.set_status("turn " + std::to_string(turn) + " uses " + reply.tool);
      conversation.push_back(reply.text);
      conversation.push_back(wf.step(reply.tool, [&] {
        ledger.write(reply.tool);
        return use_tool(reply);
      }));
    }
    throw pawl::Failure{"no_answer", "no answer within ten turns"};
  });
  worker.start();

  const std::string question = "How high is the Eiffel tower in feet?";
  std::cout << pawl.start("agent", question, {.run_key = "agent-1"}).result<std::string>() << std::endl;
  return 0;
}
