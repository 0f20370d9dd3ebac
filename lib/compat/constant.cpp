#include "lib/compat/constant.h"

#include <algorithm>
#include <charconv>

namespace ropewalk {
namespace {

using Kind = PythonConstant::Kind;

bool is_number(const PythonConstant& one) {
  return one.kind == Kind::Number || one.kind == Kind::Truth || one.kind == Kind::Real;
}

// nullopt: Python cannot order them.
std::optional<std::strong_ordering> order_of(const PythonConstant& a, const PythonConstant& b) {
  if (is_number(a) && is_number(b)) {
    const double x = a.as_real(), y = b.as_real();
    return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
  }
  if (a.kind != b.kind) return std::nullopt;
  if (a.kind == Kind::Text) return a.text <=> b.text;  // bytes of UTF-8 have the order of code points
  if (a.kind == Kind::Version) return a.version <=> b.version;
  if (a.kind != Kind::Sequence) return std::nullopt;
  for (size_t n = 0; n < std::min(a.items.size(), b.items.size()); ++n) {
    if (compare(a.items[n], "Eq", b.items[n]) == true) continue;
    return order_of(a.items[n], b.items[n]);
  }
  return a.items.size() <=> b.items.size();
}

bool is_equal(const PythonConstant& a, const PythonConstant& b) {
  if (a.kind == Kind::Sequence && b.kind == Kind::Sequence) {
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_equal);
  }
  if (a.kind == Kind::None || b.kind == Kind::None) return a.kind == b.kind;
  return order_of(a, b) == std::strong_ordering::equal;
}

std::optional<bool> is_in(const PythonConstant& item, const PythonConstant& whole) {
  if (whole.kind == Kind::Text && item.kind == Kind::Text) return whole.text.find(item.text) != std::string::npos;
  if (whole.kind != Kind::Sequence) return std::nullopt;
  return std::any_of(whole.items.begin(), whole.items.end(),
                     [&](const PythonConstant& one) { return is_equal(item, one); });
}

}  // namespace

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

bool PythonConstant::truth() const {
  if (kind == Kind::Text) return !text.empty();
  if (kind == Kind::Sequence) return !items.empty();
  return kind == Kind::Version || kind == Kind::Signature || as_real() != 0;
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
  if (word == "Eq" || word == "Is") return is_equal(left, right);
  if (word == "NotEq" || word == "IsNot") return !is_equal(left, right);
  if (word == "In") return is_in(left, right);
  if (word == "NotIn") {
    const std::optional<bool> inside = is_in(left, right);
    return inside ? std::optional(!*inside) : std::nullopt;
  }
  const auto order = order_of(left, right);
  if (!order) return std::nullopt;
  if (word == "Lt") return *order < 0;
  if (word == "LtE") return *order <= 0;
  if (word == "Gt") return *order > 0;
  return *order >= 0;
}

}  // namespace ropewalk
