#include "lib/compat/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "lib/compat/specifiers.h"

namespace ropewalk::compat {
namespace {

using ConstantKind = PythonConstant::Kind;

using Likeness = PythonConstant::Likeness;

bool is_flag(const PythonConstant& one) {
  return one.kind == ConstantKind::Member && (one.like == Likeness::Flag || one.like == Likeness::Both);
}

// A member that is its value as well: that value.
const PythonConstant& plain(const PythonConstant& one) {
  const bool is_value = one.kind == ConstantKind::Member && (one.like == Likeness::Value || one.like == Likeness::Both);
  return is_value ? one.items.front() : one;
}

std::string class_of(const PythonConstant& member) { return member.text.substr(0, member.text.rfind('.')); }

bool is_number(const PythonConstant& one) {
  return one.kind == ConstantKind::Number || one.kind == ConstantKind::Truth || one.kind == ConstantKind::Real;
}

bool is_equal(const PythonConstant& a, const PythonConstant& b);

bool holds(const std::vector<PythonConstant>& items, const PythonConstant& item) {
  return std::ranges::any_of(items, [&](const PythonConstant& one) { return is_equal(item, one); });
}

bool is_subset(const PythonConstant& a, const PythonConstant& b) {
  return std::ranges::all_of(a.items, [&](const PythonConstant& one) { return holds(b.items, one); });
}

// nullopt: Python cannot order them.
std::optional<std::strong_ordering> order_of(const PythonConstant& one, const PythonConstant& other) {
  const PythonConstant &a = plain(one), &b = plain(other);
  if (is_number(a) && is_number(b)) {
    const double x = a.as_real(), y = b.as_real();
    return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
  }
  if (a.kind != b.kind) return std::nullopt;
  if (a.kind == ConstantKind::Text) return a.text <=> b.text;  // bytes of UTF-8 have the order of code points
  if (a.kind == ConstantKind::Version) return a.version <=> b.version;
  if (a.kind != ConstantKind::Sequence) return std::nullopt;
  for (size_t n = 0; n < std::min(a.items.size(), b.items.size()); ++n) {
    if (compare(a.items[n], "Eq", b.items[n]) == true) continue;
    return order_of(a.items[n], b.items[n]);
  }
  return a.items.size() <=> b.items.size();
}

bool is_equal(const PythonConstant& one, const PythonConstant& other) {
  const PythonConstant &a = plain(one), &b = plain(other);
  if (a.kind == ConstantKind::Member || b.kind == ConstantKind::Member) {
    return a.kind == b.kind && class_of(a) == class_of(b) && is_equal(a.items.front(), b.items.front());
  }
  const auto is_object = [](const PythonConstant& x) {
    return x.kind == ConstantKind::Operation || x.kind == ConstantKind::Parameter || x.kind == ConstantKind::Unread;
  };
  if (is_object(a) || is_object(b)) return a == b;
  const bool are_sets = (a.kind == ConstantKind::Set && b.kind == ConstantKind::Set) ||
                        (a.kind == ConstantKind::Mapping && b.kind == a.kind);
  if (are_sets) return a.items.size() == b.items.size() && is_subset(a, b);
  if (a.kind == ConstantKind::Sequence && b.kind == ConstantKind::Sequence) {
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_equal);
  }
  if (a.kind == ConstantKind::None || b.kind == ConstantKind::None) return a.kind == b.kind;
  return order_of(a, b) == std::strong_ordering::equal;
}

std::optional<bool> is_in(const PythonConstant& item, const PythonConstant& whole) {
  if (whole.kind == ConstantKind::Text && item.kind == ConstantKind::Text)
    return whole.text.find(item.text) != std::string::npos;
  if (whole.kind == ConstantKind::Mapping) return whole.value_of(item) != nullptr;
  if (whole.kind == ConstantKind::Specifiers) {
    const auto version = item.kind == ConstantKind::Text      ? parse_version(item.text)
                         : item.kind == ConstantKind::Version ? std::optional(item.version)
                                                              : std::nullopt;
    return version ? admits(whole.text, *version) : std::nullopt;
  }
  if (is_flag(whole) && is_flag(item)) {
    const i64 wanted = item.items.front().number;
    return (whole.items.front().number & wanted) == wanted;
  }
  if (whole.kind != ConstantKind::Sequence && whole.kind != ConstantKind::Set) return std::nullopt;
  return holds(whole.items, item);
}

// One set is below another where it is a part of it.
std::optional<bool> compare_sets(const PythonConstant& a, const std::string& word, const PythonConstant& b) {
  const bool is_part = is_subset(a, b), has_part = is_subset(b, a);
  if (word == "LtE") return is_part;
  if (word == "GtE") return has_part;
  if (word == "Lt") return is_part && !has_part;
  return word == "Gt" ? std::optional(has_part && !is_part) : std::nullopt;
}

std::optional<i64> operate_on_numbers(i64 a, const std::string& word, i64 b) {
  constexpr i64 most = i64(1) << 30;  // so that no result is too large
  if (std::abs(a) > most || std::abs(b) > most) return std::nullopt;
  if (word == "Add") return a + b;
  if (word == "Sub") return a - b;
  if (word == "Mult") return a * b;
  if (word == "BitAnd") return a & b;
  if (word == "BitOr") return a | b;
  if (word == "BitXor") return a ^ b;
  if (word == "LShift" && b >= 0 && b < 30) return a << b;
  if (word == "FloorDiv" && a >= 0 && b > 0) return a / b;
  if (word == "Mod" && a >= 0 && b > 0) return a % b;
  return std::nullopt;
}

std::optional<PythonConstant> operate_on_sets(const PythonConstant& a, const std::string& word,
                                              const PythonConstant& b) {
  std::vector<PythonConstant> items;
  if (word == "BitOr") {
    items = a.items;
    items.insert(items.end(), b.items.begin(), b.items.end());
  } else if (word == "BitAnd" || word == "Sub") {
    std::ranges::copy_if(a.items, std::back_inserter(items),
                         [&](const PythonConstant& one) { return holds(b.items, one) == (word == "BitAnd"); });
  } else {
    return std::nullopt;
  }
  return PythonConstant::of_set(items);
}

}  // namespace

PythonConstant PythonConstant::of_set(const std::vector<PythonConstant>& items) {
  PythonConstant set{ConstantKind::Set};
  for (const PythonConstant& one : items) {
    if (!holds(set.items, one)) set.items.push_back(one);
  }
  return set;
}

PythonConstant PythonConstant::of_mapping(const std::vector<std::pair<PythonConstant, PythonConstant>>& pairs) {
  PythonConstant mapping{ConstantKind::Mapping};
  for (const auto& [key, value] : pairs) {
    const auto same = std::ranges::find_if(
        mapping.items, [&, wanted = &key](const PythonConstant& one) { return is_equal(one.items[0], *wanted); });
    if (same != mapping.items.end()) {
      same->items[1] = value;
    } else {
      mapping.items.push_back(of_items({key, value}));
    }
  }
  return mapping;
}

std::optional<std::vector<PythonConstant>> PythonConstant::elements() const {
  if (kind == ConstantKind::Sequence || kind == ConstantKind::Set) return items;
  if (kind != ConstantKind::Mapping) return std::nullopt;
  std::vector<PythonConstant> keys;
  for (const PythonConstant& one : items) keys.push_back(one.items[0]);
  return keys;
}

const PythonConstant* PythonConstant::value_of(const PythonConstant& key) const {
  for (const PythonConstant& one : items) {
    if (kind == ConstantKind::Mapping && is_equal(one.items[0], key)) return &one.items[1];
  }
  return nullptr;
}

std::optional<PythonConstant> PythonConstant::integer(const std::string& text) {
  i64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return of_number(number);
}

std::optional<PythonConstant> PythonConstant::decimal(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return of_real(number);
}

PythonConstant PythonConstant::written(const std::string& text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return of_truth(text == "True");
  if (const auto number = integer(text)) return *number;
  if (const auto number = decimal(text)) return *number;
  return {ConstantKind::Unread, 0, text};
}

std::string PythonConstant::as_written() const {
  if (kind == ConstantKind::None) return "None";
  if (kind == ConstantKind::Truth) return number ? "True" : "False";
  if (kind == ConstantKind::Number) return std::to_string(number);
  if (kind == ConstantKind::Real) return fmt::format("{}", real);
  return kind == ConstantKind::Unread && !text.empty() ? text : "...";
}

bool PythonConstant::truth() const {
  if (kind == ConstantKind::Text) return !text.empty();
  if (kind == ConstantKind::Sequence || kind == ConstantKind::Set || kind == ConstantKind::Mapping)
    return !items.empty();
  if (kind == ConstantKind::Member) return like == Likeness::None || items.front().truth();
  const bool is_object = kind == ConstantKind::Version || kind == ConstantKind::Signature ||
                         kind == ConstantKind::Operation || kind == ConstantKind::Pattern ||
                         kind == ConstantKind::Match || kind == ConstantKind::Parameter || kind == ConstantKind::Unread;
  return is_object || (kind == ConstantKind::Specifiers ? !text.empty() : as_real() != 0);
}

std::optional<std::vector<PythonConstant>> taken_apart(const PythonConstant& whole,
                                                       const std::vector<PythonNode>& targets) {
  if (whole.kind != PythonConstant::Kind::Sequence) return std::nullopt;
  const size_t stars =
      size_t(std::count_if(targets.begin(), targets.end(), [](const PythonNode& one) { return one.is("Starred"); }));
  const size_t alone = targets.size() - stars;
  if (stars > 1 || whole.items.size() < alone || (stars == 0 && whole.items.size() != alone)) return std::nullopt;
  std::vector<PythonConstant> parts;
  auto next = whole.items.begin();
  for (const PythonNode& target : targets) {
    if (!target.is("Starred")) {
      parts.push_back(*next++);
      continue;
    }
    const auto end = next + long(whole.items.size() - alone);
    parts.push_back(PythonConstant::of_items({next, end}));
    next = end;
  }
  return parts;
}

std::optional<bool> compare(const PythonConstant& left, const std::string& word, const PythonConstant& right) {
  // A member is the same as members alone, though it is equal to its value.
  const bool is_other = (left.kind == ConstantKind::Member) != (right.kind == ConstantKind::Member);
  if (word == "Is" || word == "IsNot") return (!is_other && is_equal(left, right)) == (word == "Is");
  if (word == "Eq") return is_equal(left, right);
  if (word == "NotEq") return !is_equal(left, right);
  if (word == "In") return is_in(left, right);
  if (word == "NotIn") {
    const std::optional<bool> inside = is_in(left, right);
    return inside ? std::optional(!*inside) : std::nullopt;
  }
  if (left.kind == ConstantKind::Set && right.kind == ConstantKind::Set) return compare_sets(left, word, right);
  const auto order = order_of(left, right);
  if (!order) return std::nullopt;
  if (word == "Lt") return *order < 0;
  if (word == "LtE") return *order <= 0;
  if (word == "Gt") return *order > 0;
  return *order >= 0;
}

std::optional<PythonConstant> operate(const PythonConstant& left, const std::string& word,
                                      const PythonConstant& right) {
  const bool are_flags = is_flag(left) && is_flag(right);
  const PythonConstant &a = are_flags ? left.items.front() : plain(left),
                       &b = are_flags ? right.items.front() : plain(right);
  const auto is_integer = [](const PythonConstant& one) {
    return one.kind == ConstantKind::Number || one.kind == ConstantKind::Truth;
  };
  if (is_integer(a) && is_integer(b)) {
    const std::optional<i64> number = operate_on_numbers(a.number, word, b.number);
    if (!number) return std::nullopt;
    const PythonConstant result = PythonConstant::of_number(*number);
    return are_flags ? PythonConstant::of_member(class_of(left) + ".", result, left.like) : result;
  }
  constexpr i64 most = 256;
  if (a.kind == ConstantKind::Sequence && b.kind == ConstantKind::Number && word == "Mult" && b.number <= most) {
    std::vector<PythonConstant> repeated;
    for (i64 n = 0; n < b.number; ++n) repeated.insert(repeated.end(), a.items.begin(), a.items.end());
    return PythonConstant::of_items(std::move(repeated));
  }
  if (a.kind != b.kind) return std::nullopt;
  if (a.kind == ConstantKind::Set) return operate_on_sets(a, word, b);
  if (a.kind == ConstantKind::Text && word == "Add") return PythonConstant::of_text(a.text + b.text);
  std::vector<PythonConstant> items = a.items;
  items.insert(items.end(), b.items.begin(), b.items.end());
  if (a.kind == ConstantKind::Sequence && word == "Add") return PythonConstant::of_items(std::move(items));
  if (a.kind != ConstantKind::Mapping || word != "BitOr") return std::nullopt;
  std::vector<std::pair<PythonConstant, PythonConstant>> pairs;
  for (const PythonConstant& one : items) pairs.emplace_back(one.items[0], one.items[1]);
  return PythonConstant::of_mapping(pairs);
}

std::optional<i64> written_number(const PythonNode& node) {
  const bool negative = node.is("UnaryOp") && node.word == "USub";
  const PythonNode& digits = negative ? node.one("operand") : node;
  const auto number = digits.is("Number") ? PythonConstant::integer(digits.word) : std::nullopt;
  if (!number) return std::nullopt;
  return negative ? -number->number : number->number;
}

}  // namespace ropewalk::compat
