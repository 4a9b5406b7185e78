#pragma once
// Templates: any JSON value in which {"$ref": "#/…"} stands for a value that is known only when the run gets
// there.
//
//   #/input/…                the run's input
//   #/tasks/ID/output/…      what a task gave
//   #/item/…  and  #/index   the element of a for_each, and its place
//
// What follows is a JSON pointer (RFC 6901: ~1 is a slash, ~0 a tilde). Nothing is ever executed: a reference
// is replaced, all else is kept byte for byte. Recursion goes as deep as JSON may, which is kJsonDepthMax.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/result.hpp"
#include "core/task.hpp"

namespace pawl::core {

struct Reference {
  enum class Root : std::uint8_t { input, output, item, index };

  Root root = Root::input;
  std::string task = {};               // of Root::output
  std::vector<std::string> path = {};  // into the root, unescaped

  bool operator==(const Reference&) const = default;
};

// Or why the text is none.
[[nodiscard]] Result<Reference, std::string> parse_reference(std::string_view text);
[[nodiscard]] std::string to_string(const Reference& reference);

// The part of `value` at the end of the path; nothing if there is none.
[[nodiscard]] std::optional<std::string_view> find_in(std::string_view value,
                                                      const std::vector<std::string>& path);

// What a reference begins at (the whole input, the whole output of its task, …), nothing if there is none. It
// lives as long as the evaluation.
using Lookup = std::function<std::optional<std::string_view>(const Reference&)>;

// A value, or the error that its task fails with, not retried.
template <typename T>
using Evaluated = Result<T, TaskError>;

[[nodiscard]] TaskError evaluation_error(std::string code, std::string message);
inline constexpr const char* kInvalidReference = "invalid_reference";
inline constexpr const char* kInvalidValue = "invalid_value";

// What a reference with nothing there stands for.
enum class Missing : std::uint8_t { is_error, is_null };

// Follows references, with a bound on how much is read for one evaluation: a small template can ask for much.
class Resolver {
 public:
  explicit Resolver(const Lookup& lookup, Missing missing = Missing::is_error)
      : lookup_(lookup), missing_(missing) {}

  // Nothing if there is nothing there.
  [[nodiscard]] Evaluated<std::optional<std::string_view>> find(const Reference& reference);
  // An error if there is nothing there, unless that is null.
  [[nodiscard]] Evaluated<std::string_view> value_of(const Reference& reference);
  [[nodiscard]] std::size_t bytes_read() const { return bytes_read_; }

 private:
  const Lookup& lookup_;
  Missing missing_;
  std::size_t bytes_read_ = 0;
};

// The template with its references replaced. The template was checked.
[[nodiscard]] Evaluated<RawJson> render(std::string_view value, Resolver& resolver);
[[nodiscard]] Evaluated<RawJson> render(const RawJson& value, const Lookup& lookup,
                                        Missing missing = Missing::is_error);
// The elements that a for_each goes over. `bytes_read` is how much its references have read.
[[nodiscard]] Evaluated<std::vector<RawJson>> render_elements(const RawJson& for_each, const Lookup& lookup,
                                                              std::size_t* bytes_read = nullptr);

// A reference and where it stands: a path such as tasks[3].input.amount.
struct PlacedReference {
  std::string field;
  Reference reference;
};

// The text of the reference if `value` is {"$ref": "…"}.
[[nodiscard]] std::optional<std::string> reference_text(std::string_view value);
// Checks a template and gathers its references.
void check_template(std::string_view value, const std::string& field, Mistakes& mistakes,
                    std::vector<PlacedReference>& references);
void check_reference(std::string_view text, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references);

}  // namespace pawl::core
