#include "lib/compat/conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::compat {
namespace {

using Kind = AbstractValue::Kind;

// A comparison of an expression with texts: the expression and the set; `equal` is false of != and not in.
struct TextTest {
  std::string subject;
  std::set<std::string> texts;
  bool equal = true;
};

std::optional<TextTest> text_test(const PythonNode& node) {
  if (!node.is("Compare") || node.all("comparators").size() != 1) return std::nullopt;
  const PythonNode& right = node.one("comparators");
  TextTest test{node.one("left").text, {}, node.word == "Eq" || node.word == "In"};
  const bool one = node.word == "Eq" || node.word == "NotEq", several = node.word == "In" || node.word == "NotIn";
  if (one && right.is("Text")) {
    test.texts.insert(right.word);
    return test;
  }
  if (!several || !(right.is("List") || right.is("Tuple") || right.is("Set"))) return std::nullopt;
  for (const PythonNode& item : right.all("elts")) {
    if (!item.is("Text")) return std::nullopt;
    test.texts.insert(item.word);
  }
  return test;
}

std::optional<bool> truth_of_test(const TextTest& test, const PythonState& state) {
  const auto found = state.domains->find(test.subject);
  if (found == state.domains->end()) return std::nullopt;
  const TextDomain& domain = found->second;
  const auto tested = [&](const std::string& text) { return test.texts.count(text) > 0; };
  if (domain.among) {
    const auto inside = std::count_if(domain.among->begin(), domain.among->end(), tested);
    if (inside == 0) return !test.equal;
    if (size_t(inside) == domain.among->size()) return test.equal;
  }
  if (std::includes(domain.excluded.begin(), domain.excluded.end(), test.texts.begin(), test.texts.end())) {
    return !test.equal;
  }
  return std::nullopt;
}

// A function or a module: true, and not None.
bool is_thing(const AbstractValue& value) {
  return value.kind == Kind::Function || value.kind == Kind::Module || value.kind == Kind::Imported ||
         value.kind == Kind::Defined || value.kind == Kind::Class;
}

// `x is None` of `x is not None` and the other way round; empty: it has no such.
std::string opposite_text(const PythonNode& node) {
  static const std::map<std::string, const char*> opposites = {
      {"Is", " is not "}, {"IsNot", " is "}, {"Eq", " != "}, {"NotEq", " == "}, {"In", " not in "}, {"NotIn", " in "}};
  const auto found = opposites.find(node.word);
  if (!node.is("Compare") || found == opposites.end()) return "";
  return node.one("left").text + found->second + node.one("comparators").text;
}

// Keeps what was taken for true, and what follows from it: what is true is not None, and None is not true.
void decide(const PythonNode& condition, bool truth, PythonState& state) {
  auto& decided = state.decided.own();
  decided[condition.text] = truth;
  if (const std::string opposite = opposite_text(condition); !opposite.empty()) decided[opposite] = !truth;
  const PythonNode& left = condition.one("left");
  const bool asks_for_none = condition.one("comparators").word == "None" && !dotted_name(left).empty();
  if (asks_for_none && condition.word == (truth ? "Is" : "IsNot")) decided[left.text] = false;
  if (truth && !dotted_name(condition).empty()) {
    decided[condition.text + " is None"] = false;
    decided[condition.text + " is not None"] = true;
  }
}

std::optional<bool> decided(const PythonNode& node, const PythonState& state) {
  const auto found = state.decided->find(node.text);
  return found == state.decided->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<bool> Conditions::truth_of(const PythonNode& condition, const PythonState& state) const {
  if (condition.is("BoolOp")) {
    const bool deciding = condition.word == "Or";
    bool known = true;
    for (const PythonNode& part : condition.all("values")) {
      const std::optional<bool> truth = truth_of(part, state);
      if (truth == deciding) return deciding;
      known = known && truth.has_value();
    }
    return known ? std::optional(!deciding) : decided(condition, state);
  }
  if (condition.is("UnaryOp") && condition.word == "Not") {
    const std::optional<bool> truth = truth_of(condition.one("operand"), state);
    return truth ? std::optional(!*truth) : std::nullopt;
  }
  if (const auto constant = constant_of(condition, state)) return constant->truth();
  // False when the program runs.
  const bool is_typing = condition.is("Name") || condition.text == "typing.TYPE_CHECKING";
  if (is_typing && condition.word == "TYPE_CHECKING") return false;
  if (const std::string name = dotted_name(condition); !name.empty()) {
    const AbstractValue value = named(condition, state);
    if (is_thing(value)) return true;
    if (const std::optional<bool> any = value.has_items()) return any;
    const auto release = version_in_name(name.substr(name.rfind('.') + 1));
    const bool says_version = release && provider_.version && value.kind == Kind::Unknown;
    if (says_version && is_at_its_word(condition, *release, state)) return *provider_.version >= *release;
  }
  if (const std::optional<bool> there = is_key(condition, state)) return there;
  if (const auto test = text_test(condition)) {
    if (const auto truth = truth_of_test(*test, state)) return truth;
  }
  return decided(condition, state);
}

bool Conditions::is_at_its_word(const PythonNode& name, const PackageVersion& release, const PythonState& state) const {
  const AbstractValue* const known = state.find(dotted_name(name));
  AbstractValue from = known ? *known : named(name.one("value"), state);
  const PythonFile* const file = from.kind == Kind::Class ? from.file : modules_.file_of(from);
  return !modules_.denies(file_, name.word, release) && (!file || !modules_.denies(*file, name.word, release));
}

// `"key" in mapping`, of a mapping of arguments.
std::optional<bool> Conditions::is_key(const PythonNode& condition, const PythonState& state) const {
  const bool asks = condition.is("Compare") && (condition.word == "In" || condition.word == "NotIn");
  if (!asks || !condition.one("left").is("Text")) return std::nullopt;
  const AbstractValue mapping = named(condition.one("comparators"), state);
  const std::optional<bool> there = mapping.has_key(condition.one("left").word);
  return there ? std::optional(*there == (condition.word == "In")) : std::nullopt;
}

void Conditions::assume(const PythonNode& condition, bool truth, PythonState& state) const {
  if (!condition || truth_of(condition, state) == truth) return;
  if (condition.is("BoolOp")) {
    const bool all = (condition.word == "And") == truth;  // each part is `truth` then
    std::vector<const PythonNode*> open;
    for (const PythonNode& part : condition.all("values")) {
      if (!truth_of(part, state)) open.push_back(&part);
    }
    if (all || open.size() == 1) {
      for (const PythonNode* part : open) assume(*part, truth, state);
    } else {
      decide(condition, truth, state);
    }
    return;
  }
  if (condition.is("UnaryOp") && condition.word == "Not") return assume(condition.one("operand"), !truth, state);
  if (const auto test = text_test(condition)) {
    TextDomain& domain = state.domains.own()[test->subject];
    if (test->equal == truth) {
      domain.among = test->texts;
    } else {
      domain.excluded.insert(test->texts.begin(), test->texts.end());
    }
    return;
  }
  decide(condition, truth, state);
}

std::optional<bool> Conditions::compared(const PythonNode& left, const std::string& word, const PythonNode& right,
                                         const PythonState& state) const {
  const auto one = constant_of(left, state), other = constant_of(right, state);
  // A function or a module is not None.
  const auto is_bound = [&](const PythonNode& node) { return is_thing(named(node, state)); };
  const auto is_none = [](const auto& value) { return value && value->kind == PythonConstant::Kind::None; };
  if ((is_bound(left) && is_none(other)) || (is_bound(right) && is_none(one))) {
    if (word == "Is" || word == "Eq") return false;
    if (word == "IsNot" || word == "NotEq") return true;
  }
  if (!one || !other) return std::nullopt;
  const std::optional<bool> truth = compare(*one, word, *other);
  using ConstantKind = PythonConstant::Kind;
  if (truth && one->kind == ConstantKind::Text && other->kind == ConstantKind::Text) {
    const auto a = parse_version(one->text), b = parse_version(other->text);
    remarks_.more_than_order = remarks_.more_than_order || is_its_version(*one) || is_its_version(*other);
    const auto by_version =
        a && b ? compare(PythonConstant::of_version(*a), word, PythonConstant::of_version(*b)) : std::nullopt;
    if (by_version && *by_version != *truth) {
      remarks_.texts.insert(fmt::format(
          "{}:{}: {} and {} are compared as texts, letter by letter, which is {}; as versions it would be {}",
          file_.path, left.line, left.text, right.text, *truth ? "true" : "false", *by_version ? "true" : "false"));
    }
  }
  return truth;
}

std::optional<PythonConstant> Conditions::comparison(const PythonNode& node, const PythonState& state) const {
  const PythonNode* left = &node.one("left");
  size_t begin = 0;
  bool all = true;
  for (const PythonNode& right : node.all("comparators")) {
    const size_t end = std::min(node.word.find(' ', begin), node.word.size());
    const std::optional<bool> truth = compared(*left, node.word.substr(begin, end - begin), right, state);
    if (!truth) return std::nullopt;
    all = all && *truth;
    begin = end + 1;
    left = &right;
  }
  return PythonConstant::of_truth(all);
}

}  // namespace ropewalk::compat
