// Every reader against mutated valid texts: bytes changed, removed, repeated, and mixed with those of other
// texts. Short and deterministic; `./dev fuzz` searches longer, guided by coverage.
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/targets.hpp"
#include "tests/support/env.hpp"

namespace pawl::fuzz {
namespace {

constexpr int kTriesOfEach = 4'000;
constexpr std::size_t kLengthMax = 4'096;

class Mutations {
 public:
  explicit Mutations(std::uint64_t seed) : random_(seed) {}

  std::string of(const Target& target) {
    std::string text{pick(target.seeds)};
    const std::uint64_t changes = random_.below(6) + 1;
    for (std::uint64_t i = 0; i < changes; ++i) change(text, target);
    text.resize(std::min(text.size(), kLengthMax));
    return text;
  }

 private:
  std::string_view pick(const std::vector<std::string_view>& seeds) {
    return seeds[random_.below(seeds.size())];
  }
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void change(std::string& text, const Target& target) {
    static constexpr std::string_view kOdd = "{}[]\",:\\/-+.eE0919 \r\n\t%#$*?&=\x00\x7f\x80\xc0\xed\xa0\xff";
    switch (random_.below(6)) {
      case 0: text.insert(place(text), 1, kOdd[random_.below(kOdd.size())]); return;
      case 1: text.erase(place(text), random_.below(8) + 1); return;
      case 2:
        if (!text.empty()) text[random_.below(text.size())] = static_cast<char>(random_.below(256));
        return;
      case 3: {  // repeats a part, up to many times
        const std::string part = text.substr(place(text), random_.below(16) + 1);
        const std::size_t where = place(text);
        for (std::uint64_t times = random_.below(80); times > 0; --times) text.insert(where, part);
        return;
      }
      case 4: {  // joins the beginning of one text and the end of another
        const std::string other{pick(target.seeds)};
        text = text.substr(0, place(text)) + other.substr(place(other));
        return;
      }
      default:
        if (!text.empty()) text[random_.below(text.size())] ^= static_cast<char>(1U << random_.below(8));
    }
  }

  testing::SeededRandom random_;
};

class Readers : public ::testing::TestWithParam<Target> {};

TEST_P(Readers, ReturnForAnyInput) {
  for (const std::string_view seed : GetParam().seeds) GetParam().read(seed);
  Mutations mutations{7};
  for (int i = 0; i < kTriesOfEach; ++i) GetParam().read(mutations.of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, Readers, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace pawl::fuzz
