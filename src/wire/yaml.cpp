#include "wire/yaml.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "core/base/limits.hpp"
#include "core/base/source_line.hpp"
#include "core/json/json.hpp"
#include "core/json/json_value.hpp"
#include "wire/yaml_scalar.hpp"

namespace pawl::wire {

namespace {

constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";
constexpr std::string_view kStringTag = "tag:yaml.org,2002:str";

// yaml-cpp reports errors by exceptions, and so do event handlers.
[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) {
  throw YAML::ParserException(mark, why);
}

// Writes parser events as JSON, each on the line where it occurs in the YAML.
class YamlToJson final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_document_) refuse(mark, "only one document can be in it");
    has_document_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_as_key(mark);
    const std::size_t start = begin_value(mark);
    out_ += "null";
    end_value(start, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_as_key(mark);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) refuse(mark, "the alias refers to a node that contains it");
    const std::string value = on_one_line(found->second);
    if (out_.size() + value.size() > core::kDefinitionBytesMax)
      refuse(mark, fmt::format("with its aliases replaced it has over {} bytes", core::kDefinitionBytesMax));
    if (static_cast<int>(open_.size()) + core::depth_of(value) > core::kJsonDepthMax) refuse_depth(mark);
    begin_value(mark);
    out_ += value;
    end_value(0, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (is_key_next()) {
      key(mark, value);
      return;
    }
    const std::size_t start = begin_value(mark);
    out_ += scalar(mark, tag, value);
    end_value(start, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, '[');
  }
  void OnSequenceEnd() override { close(']'); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, '{');
  }
  void OnMapEnd() override { close('}'); }

  [[nodiscard]] std::string take() { return has_document_ ? std::move(out_) : "null"; }

 private:
  struct Open {
    char bracket;
    std::size_t start;  // offset in the JSON
    YAML::anchor_t anchor;
    bool is_first = true;
    bool is_key_next = false;
    std::set<std::string> keys = {};
  };
  struct Slice {
    std::size_t start;
    std::size_t end;
  };

  [[nodiscard]] bool is_key_next() const { return !open_.empty() && open_.back().is_key_next; }

  void refuse_as_key(const YAML::Mark& mark) const {
    if (is_key_next()) refuse(mark, "a key must be a plain name");
  }

  [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
    refuse(mark, fmt::format("it is nested deeper than {}", core::kJsonDepthMax));
  }

  void comma() {
    if (open_.empty()) return;
    if (!open_.back().is_first) out_.push_back(',');
    open_.back().is_first = false;
  }

  void go_to_line_of(const YAML::Mark& mark) {
    for (; line_ < mark.line; ++line_) out_.push_back('\n');
  }

  void key(const YAML::Mark& mark, const std::string& name) {
    Open& map = open_.back();
    if (!map.keys.insert(name).second) refuse(mark, fmt::format("the key '{}' is given twice", name));
    comma();
    go_to_line_of(mark);
    out_ += core::json_quote(name);
    out_.push_back(':');
    map.is_key_next = false;
  }

  // Returns the offset in the JSON where the value begins.
  std::size_t begin_value(const YAML::Mark& mark) {
    if (open_.empty() || open_.back().bracket == '[') comma();
    go_to_line_of(mark);
    return out_.size();
  }

  void end_value(std::size_t start, YAML::anchor_t anchor) {
    if (anchor != 0) anchored_[anchor] = {.start = start, .end = out_.size()};
    if (!open_.empty()) open_.back().is_key_next = open_.back().bracket == '{';
  }

  static std::string scalar(const YAML::Mark& mark, const std::string& tag, const std::string& value) {
    if (tag == kQuotedTag || tag == kStringTag) return core::json_quote(value);
    if (tag != kPlainTag) refuse(mark, fmt::format("the tag {} is not supported", tag));
    const auto json = json_from_plain_scalar(value);
    if (!json) refuse(mark, json.problem());
    return json->text;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, char bracket) {
    refuse_as_key(mark);
    if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag)
      refuse(mark, fmt::format("the tag {} is not supported", tag));
    if (open_.size() >= static_cast<std::size_t>(core::kJsonDepthMax)) refuse_depth(mark);
    const std::size_t start = begin_value(mark);
    out_.push_back(bracket);
    open_.push_back({.bracket = bracket, .start = start, .anchor = anchor, .is_key_next = bracket == '{'});
  }

  void close(char bracket) {
    out_.push_back(bracket);
    const Open closed = std::move(open_.back());
    open_.pop_back();
    end_value(closed.start, closed.anchor);
  }

  [[nodiscard]] std::string on_one_line(const Slice& slice) const {
    std::string value = out_.substr(slice.start, slice.end - slice.start);
    std::erase(value, '\n');
    return value;
  }

  std::string out_;
  int line_ = 0;
  bool has_document_ = false;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Slice> anchored_;
};

// YAML allows no other control characters, and yaml-cpp mistakes one of these for the end of the text.
bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 ? c != '\t' && c != '\n' && c != '\r' : byte == 0x7f;
}

}  // namespace

core::Result<std::string> json_from_yaml(std::string_view yaml) {
  if (yaml.size() > core::kDefinitionBytesMax)
    return core::Problem{.code = core::ProblemCode::payload_too_large,
                         .detail = fmt::format("the text has {} bytes, at most {} can be", yaml.size(),
                                               core::kDefinitionBytesMax)};
  if (!core::utf8_length(yaml)) return core::invalid_line(1, "the text is not UTF-8");
  if (const auto bad = std::find_if(yaml.begin(), yaml.end(), is_forbidden); bad != yaml.end())
    return core::invalid_line(core::line_at(yaml, static_cast<std::size_t>(bad - yaml.begin())),
                              "a control character stands in it");
  try {
    std::istringstream in{std::string{yaml}};
    YAML::Parser parser{in};
    YamlToJson json;
    while (parser.HandleNextDocument(json)) {
    }
    return json.take();
  } catch (const YAML::Exception& error) {
    return core::invalid_line(std::max(error.mark.line, 0) + 1, error.msg);
  }
}

}  // namespace pawl::wire
