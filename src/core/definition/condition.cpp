#include "core/definition/condition.hpp"

#include <algorithm>
#include <array>
#include <compare>

#include <fmt/format.h>

#include "core/json/decimal.hpp"
#include "core/json/json_value.hpp"

namespace pawl::core {

namespace {

enum class Operator : std::uint8_t { eq, ne, lt, le, gt, ge, in, exists, all, any, negation };

struct OperatorRow {
  Operator kind;
  std::string_view name;
  std::size_t operands_min;
  std::size_t operands_max;
  bool takes_conditions;
};
constexpr std::size_t kNoMaximum = static_cast<std::size_t>(-1);
constexpr std::array kOperators{
    OperatorRow{Operator::eq, "$eq", 2, 2, false},
    OperatorRow{Operator::ne, "$ne", 2, 2, false},
    OperatorRow{Operator::lt, "$lt", 2, 2, false},
    OperatorRow{Operator::le, "$le", 2, 2, false},
    OperatorRow{Operator::gt, "$gt", 2, 2, false},
    OperatorRow{Operator::ge, "$ge", 2, 2, false},
    OperatorRow{Operator::in, "$in", 2, 2, false},
    OperatorRow{Operator::exists, "$exists", 1, 1, false},
    OperatorRow{Operator::all, "$and", 1, kNoMaximum, true},
    OperatorRow{Operator::any, "$or", 1, kNoMaximum, true},
    OperatorRow{Operator::negation, "$not", 1, 1, true},
};

const OperatorRow* find_operator(std::string_view name) {
  const auto row = std::find_if(kOperators.begin(), kOperators.end(),
                                [&](const OperatorRow& one) { return one.name == name; });
  return row == kOperators.end() ? nullptr : &*row;
}

// A parsed condition or operand. Without an operator it is a template.
struct Expression {
  const OperatorRow* operation = nullptr;
  std::vector<Expression> operands = {};
  std::string_view text = {};
};

// The member that makes an object an operation.
std::optional<Member> operation_in(std::string_view value) {
  if (kind_of(value) != JsonKind::object || reference_text(value)) return std::nullopt;
  const std::vector<Member> members = members_of(value);
  const auto is_operator = [](const Member& member) { return member.key.starts_with('$'); };
  const auto found = std::find_if(members.begin(), members.end(), is_operator);
  return found == members.end() ? std::nullopt : std::optional{*found};
}

class Parser {
 public:
  Parser(Mistakes& mistakes, std::vector<PlacedReference>& references)
      : mistakes_(mistakes), references_(references) {}

  Expression condition(std::string_view value, const std::string& field) {
    const bool is_condition =
        kind_of(value) == JsonKind::boolean || reference_text(value) || operation_in(value);
    if (!is_condition) {
      mistakes_.add(field, R"(must be true, false, a {"$ref": …} or an operator such as {"$eq": [a, b]})");
      return {};
    }
    return operand(value, field);
  }

 private:
  Expression operand(std::string_view value, const std::string& field) {
    const auto member = operation_in(value);
    if (member) return operation(*member, value, field);
    check_template(value, field, mistakes_, references_);
    return {.text = value};
  }

  Expression operation(const Member& member, std::string_view object, const std::string& field) {
    const std::string path = fmt::format("{}.{}", field, member.key);
    const OperatorRow* row = find_operator(member.key);
    if (row == nullptr) {
      mistakes_.add(path, "is not an operator: $eq $ne $lt $le $gt $ge $in $exists $and $or $not");
      return {};
    }
    if (members_of(object).size() > 1) mistakes_.add(path, "must stand alone in its object");
    Expression parsed{.operation = row};
    for (const auto& [value, place] : operands_of(*row, member.value, path))
      parsed.operands.push_back(row->takes_conditions ? condition(value, place) : operand(value, place));
    check_operands(parsed, path);
    return parsed;
  }

  struct PlacedValue {
    std::string_view value;
    std::string field;
  };

  // An operator with one operand accepts it with or without brackets.
  static std::vector<PlacedValue> operands_of(const OperatorRow& row, std::string_view value,
                                              const std::string& path) {
    if (kind_of(value) != JsonKind::array)
      return row.operands_max == 1 ? std::vector<PlacedValue>{{.value = value, .field = path}}
                                   : std::vector<PlacedValue>{};
    std::vector<PlacedValue> operands;
    for (const std::string_view element : elements_of(value))
      operands.push_back({.value = element, .field = fmt::format("{}[{}]", path, operands.size())});
    return operands;
  }

  void check_operands(const Expression& parsed, const std::string& path) {
    const OperatorRow& row = *parsed.operation;
    const std::size_t count = parsed.operands.size();
    if (count < row.operands_min || count > row.operands_max) {
      mistakes_.add(path, row.operands_max == kNoMaximum ? "must be an array of conditions"
                          : row.operands_max == 1        ? "must have one operand"
                                                         : "must be an array of two operands");
      return;
    }
    const std::string_view last = parsed.operands.back().text;
    if (row.kind == Operator::exists && (last.empty() || !reference_text(last)))
      mistakes_.add(path, R"(must be a {"$ref": …})");
    const bool is_list = last.empty() || kind_of(last) == JsonKind::array || reference_text(last);
    if (row.kind == Operator::in && !is_list) mistakes_.add(path + "[1]", "must be an array");
  }

  Mistakes& mistakes_;
  std::vector<PlacedReference>& references_;
};

class Evaluator {
 public:
  explicit Evaluator(const Lookup& lookup) : resolver_(lookup) {}

  [[nodiscard]] std::size_t bytes_read() const { return resolver_.bytes_read(); }

  Evaluated<bool> truth_of(const Expression& expression) {
    if (expression.operation != nullptr) return apply(expression);
    const Evaluated<RawJson> value = render(expression.text, resolver_);
    if (!value) return value.problem();
    const JsonKind kind = kind_of(value->text);
    if (kind == JsonKind::boolean) return value->text == "true";
    return evaluation_error(kInvalidValue,
                            fmt::format("a condition must be a boolean, not {}", name_of(kind)));
  }

 private:
  Evaluated<bool> apply(const Expression& expression) {
    const std::vector<Expression>& operands = expression.operands;
    switch (expression.operation->kind) {
      case Operator::all: return first_that_is(false, operands);
      case Operator::any: return first_that_is(true, operands);
      case Operator::negation: return negated(truth_of(operands[0]));
      case Operator::exists: return exists(operands[0]);
      default: return compare(expression);
    }
  }

  // `wanted` if any operand has that value; evaluation goes from left to right and short-circuits.
  Evaluated<bool> first_that_is(bool wanted, const std::vector<Expression>& operands) {
    for (const Expression& operand : operands) {
      const Evaluated<bool> truth = truth_of(operand);
      if (!truth || *truth == wanted) return truth;
    }
    return !wanted;
  }

  static Evaluated<bool> negated(const Evaluated<bool>& truth) {
    return truth ? Evaluated<bool>{!*truth} : truth;
  }

  Evaluated<bool> exists(const Expression& operand) {
    const auto reference = parse_reference(*reference_text(operand.text));
    const auto found = resolver_.find(*reference);
    if (!found) return found.problem();
    return found->has_value();
  }

  Evaluated<bool> compare(const Expression& expression) {
    const Evaluated<RawJson> left = value_of(expression.operands[0]);
    if (!left) return left.problem();
    const Evaluated<RawJson> right = value_of(expression.operands[1]);
    if (!right) return right.problem();
    switch (expression.operation->kind) {
      case Operator::eq: return is_equal(left->text, right->text);
      case Operator::ne: return !is_equal(left->text, right->text);
      case Operator::in: return is_in(left->text, right->text);
      default: return in_order(expression.operation->kind, left->text, right->text);
    }
  }

  Evaluated<RawJson> value_of(const Expression& expression) {
    if (expression.operation == nullptr) return render(expression.text, resolver_);
    const Evaluated<bool> truth = apply(expression);
    if (!truth) return truth.problem();
    return RawJson{*truth ? "true" : "false"};
  }

  static bool is_equal(std::string_view left, std::string_view right) {
    if (left == right) return true;
    return kind_of(left) == kind_of(right) &&
           canonical(left, NumberForm::by_value) == canonical(right, NumberForm::by_value);
  }

  static Evaluated<bool> is_in(std::string_view value, std::string_view list) {
    if (kind_of(list) != JsonKind::array)
      return evaluation_error(kInvalidValue,
                              fmt::format("$in needs an array, not {}", name_of(kind_of(list))));
    const std::string wanted = canonical(value, NumberForm::by_value);
    const std::vector<std::string_view> elements = elements_of(list);
    return std::any_of(elements.begin(), elements.end(), [&](std::string_view element) {
      return canonical(element, NumberForm::by_value) == wanted;
    });
  }

  static Evaluated<bool> in_order(Operator wanted, std::string_view left, std::string_view right) {
    const JsonKind kind = kind_of(left);
    const bool can_be_ordered = kind == JsonKind::number || kind == JsonKind::string;
    if (!can_be_ordered || kind_of(right) != kind)
      return evaluation_error(kInvalidValue,
                              fmt::format("{} and {} have no order", name_of(kind), name_of(kind_of(right))));
    const std::strong_ordering order =
        kind == JsonKind::number ? compare_numbers(left, right) : text_of(left) <=> text_of(right);
    switch (wanted) {
      case Operator::lt: return order < 0;
      case Operator::le: return order <= 0;
      case Operator::gt: return order > 0;
      default: return order >= 0;
    }
  }

  Resolver resolver_;
};

}  // namespace

void check_condition(std::string_view value, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references) {
  (void)Parser{mistakes, references}.condition(value, field);
}

Evaluated<bool> holds(const RawJson& condition, const Lookup& lookup, std::size_t* bytes_read) {
  Mistakes mistakes;
  std::vector<PlacedReference> references;
  const Expression parsed = Parser{mistakes, references}.condition(condition.text, "when");
  if (mistakes.any()) return evaluation_error(kInvalidValue, mistakes.problem().detail);
  Evaluator evaluator{lookup};
  Evaluated<bool> truth = evaluator.truth_of(parsed);
  if (bytes_read != nullptr) *bytes_read = evaluator.bytes_read();
  return truth;
}

}  // namespace pawl::core
