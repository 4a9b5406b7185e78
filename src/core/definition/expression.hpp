#pragma once
// Templates: any JSON value in which {"$ref": "#/…"} stands for a value of the run, inserted at evaluation.
//
//   #/input/…                the run's input
//   #/tasks/ID/output/…      a task's output; #/tasks/ID/errors/… for its errors
//   #/item/…  and  #/index   the element of a for_each, and its index
//
// The rest is a JSON pointer (RFC 6901: ~1 is a slash, ~0 a tilde). Nothing is executed: a reference is
// replaced, everything else is kept byte for byte. Recursion is bounded by JSON's own depth, kJsonDepthMax.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/json/json.hpp"
#include "core/json/json_reader.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

struct Reference {
  enum class Root : std::uint8_t { input, output, errors, item, index };

  Root root = Root::input;
  std::string task = {};               // of Root::output and Root::errors
  std::vector<std::string> path = {};  // into the root, unescaped

  [[nodiscard]] bool is_of_task() const { return root == Root::output || root == Root::errors; }
  bool operator==(const Reference&) const = default;
};

// Fails with the reason if the text is not a reference.
[[nodiscard]] Result<Reference, std::string> parse_reference(std::string_view text);
[[nodiscard]] std::string to_string(const Reference& reference);

// The part of `value` at the path; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> find_in(std::string_view value,
                                                      const std::vector<std::string>& path);

// Returns the root value of a reference (the whole input, the whole output of its task, …), or nullopt if it
// does not exist. The value must outlive the evaluation.
using Lookup = std::function<std::optional<std::string_view>(const Reference&)>;

// A value, or the error that fails the task without a retry.
template <typename T>
using Evaluated = Result<T, TaskError>;

[[nodiscard]] TaskError evaluation_error(std::string code, std::string message);
inline constexpr const char* kInvalidReference = "invalid_reference";
inline constexpr const char* kInvalidValue = "invalid_value";

// The meaning of a reference to a missing value.
enum class Missing : std::uint8_t { is_error, is_null };

// Resolves references and bounds the bytes read by one evaluation: a small template can reference large
// values.
class Resolver {
 public:
  explicit Resolver(const Lookup& lookup, Missing missing = Missing::is_error)
      : lookup_(lookup), missing_(missing) {}

  // nullopt if the value is missing.
  [[nodiscard]] Evaluated<std::optional<std::string_view>> find(const Reference& reference);
  // A missing value is an error, or null with Missing::is_null.
  [[nodiscard]] Evaluated<std::string_view> value_of(const Reference& reference);
  [[nodiscard]] std::size_t bytes_read() const { return bytes_read_; }

 private:
  const Lookup& lookup_;
  Missing missing_;
  std::size_t bytes_read_ = 0;
};

// Replaces the references of a checked template.
[[nodiscard]] Evaluated<RawJson> render(std::string_view value, Resolver& resolver);
[[nodiscard]] Evaluated<RawJson> render(const RawJson& value, const Lookup& lookup,
                                        Missing missing = Missing::is_error);
// The elements of a for_each. `bytes_read` receives the number of bytes that its references read.
[[nodiscard]] Evaluated<std::vector<RawJson>> render_elements(const RawJson& for_each, const Lookup& lookup,
                                                              std::size_t* bytes_read = nullptr);

// A reference and its location: a path such as tasks[3].input.amount.
struct PlacedReference {
  std::string field;
  Reference reference;
};

// The text of the reference if `value` is {"$ref": "…"}.
[[nodiscard]] std::optional<std::string> reference_text(std::string_view value);
// Checks a template and collects its references.
void check_template(std::string_view value, const std::string& field, Mistakes& mistakes,
                    std::vector<PlacedReference>& references);
void check_reference(std::string_view text, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references);

}  // namespace pawl::core
