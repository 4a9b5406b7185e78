// approval [ADDRESS] [yes|no|-]: waits for a person's approval. With '-' no answer arrives, and the wait
// times out.

#include <iostream>

#include <pawl/pawl.hpp>

using namespace std::chrono_literals;

struct Approval {
  bool ok = false;
  std::string by;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Approval, ok, by)

int main(int argc, char** argv) {
  const auto pawl = pawl::connect(argc > 1 ? argv[1] : "memory:");
  const std::string answer = argc > 2 ? argv[2] : "yes";
  const auto patience = answer == "-" ? pawl::Duration{300ms} : pawl::Duration{7 * 24h};

  pawl::Worker worker{pawl};
  worker.workflow("expense", [=](pawl::Workflow& wf, const double& amount) -> std::string {
    wf.set_status("waits for approval");
    const auto approval = wf.signal<Approval>("approved", {.timeout = patience});
    if (!approval) throw pawl::Failure{"not_approved", "no answer in time"};
    if (!approval->ok) return "refused by " + approval->by;
    return wf.step("pay", [&] { return "paid " + std::to_string(static_cast<int>(amount)); });
  });
  worker.start();

  const auto run = pawl.start("expense", 120.0);
  if (answer != "-") run.signal("approved", Approval{.ok = answer == "yes", .by = "Grace"});
  try {
    std::cout << run.result<std::string>() << std::endl;
  } catch (const pawl::RunFailed& failed) {
    std::cout << failed.code() << ": " << failed.what() << std::endl;
  }
  return 0;
}
