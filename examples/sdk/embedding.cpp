// embedding: durable work inside a program with its own main loop. The worker runs on its own threads and
// stops with the program.

#include <atomic>
#include <iostream>

#include <pawl/pawl.hpp>

using namespace std::chrono_literals;

namespace {

class Shop {
 public:
  explicit Shop(const std::string& address)
      : pawl_(pawl::connect(address)), worker_(pawl_, {.max_concurrent = 4}) {
    worker_.task("receipt.print", [this](const std::string& text) { return ++printed_, text; });
    worker_.workflow("sale", [](pawl::Workflow& wf, const std::string& item) {
      const auto price = wf.step("look up", [&] { return static_cast<int>(item.size()); });
      return wf.spawn<std::string>("receipt.print", item + " for " + std::to_string(price)).get();
    });
    worker_.start();
  }

  std::string sell(const std::string& item) { return pawl_.start("sale", item).result<std::string>(); }
  [[nodiscard]] int printed() const { return printed_; }

 private:
  std::atomic<int> printed_ = 0;
  pawl::Client pawl_;
  pawl::Worker worker_;  // last: it uses the other members, so it must stop first
};

}  // namespace

int main(int argc, char** argv) {
  Shop shop{argc > 1 ? argv[1] : "memory:"};
  for (const auto* item : {"apple", "melon", "kiwi"}) std::cout << shop.sell(item) << std::endl;
  std::cout << shop.printed() << " receipts" << std::endl;
  return 0;
}
