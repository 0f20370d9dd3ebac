// Conditions of a caller's source: versions are compared, and what cannot be computed is decided once on each way.
#include <algorithm>

#include "lib/compat/state.h"

namespace ropewalk {
namespace {

using Kind = AbstractValue::Kind;

bool is_version_maker(std::string_view name) {
  return name == "PkgVersion" || name == "Version" || name == "parse" || name == "parse_version" ||
         name == "LooseVersion" || name == "StrictVersion";
}

// "a.b.c" as one name; empty where the tokens are something else.
std::string dotted(TokenSpan tokens) {
  std::string name;
  for (size_t n = 0; n < tokens.size(); ++n) {
    if (n % 2 == 0 ? !tokens[n].is_name() : !tokens[n].is(".")) return "";
    name += tokens[n].text;
  }
  return tokens.size() % 2 == 1 ? name : "";
}

// The callee and the arguments of `f(...)`, where the tokens are one call.
bool is_call(TokenSpan tokens, std::string& callee, TokenSpan& arguments) {
  const size_t open = find_outside(tokens, "(");
  if (open == 0 || open >= tokens.size() || closing_of(tokens, open) + 1 != tokens.size()) return false;
  callee = dotted(tokens.first(open));
  arguments = tokens.subspan(open + 1, tokens.size() - open - 2);
  return !callee.empty();
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

struct Comparison {
  std::vector<TokenSpan> operands;
  std::vector<std::string> operators;
};

// `a <= b < c`; `not in` and `is not` are one operator each. No operators: it is no comparison.
Comparison comparison_of(TokenSpan tokens) {
  Comparison result;
  size_t begin = 0;
  int depth = 0;
  for (size_t n = 0; n < tokens.size(); ++n) {
    if (tokens[n].is("(") || tokens[n].is("[") || tokens[n].is("{")) ++depth;
    if (tokens[n].is(")") || tokens[n].is("]") || tokens[n].is("}")) --depth;
    if (depth) continue;
    std::string word;
    for (const char* one : {"<", "<=", ">", ">=", "==", "!=", "in", "is"}) {
      if (tokens[n].is(one)) word = one;
    }
    size_t taken = 1;
    if (tokens[n].is("not") && n + 1 < tokens.size() && tokens[n + 1].is("in")) word = "not in", taken = 2;
    if (word == "is" && n + 1 < tokens.size() && tokens[n + 1].is("not")) word = "is not", taken = 2;
    if (word.empty()) continue;
    result.operands.push_back(tokens.subspan(begin, n - begin));
    result.operators.push_back(word);
    n += taken - 1;
    begin = n + 1;
  }
  result.operands.push_back(tokens.subspan(std::min(begin, tokens.size())));
  return result;
}

bool holds(const std::string& word, std::strong_ordering order) {
  if (word == "<") return order < 0;
  if (word == "<=") return order <= 0;
  if (word == ">") return order > 0;
  if (word == ">=") return order >= 0;
  return word == "==" ? order == 0 : order != 0;
}

// A comparison of an expression with texts: the expression and the set; `equal` is false of != and not in.
struct TextTest {
  std::string subject;
  std::set<std::string> texts;
  bool equal = true;
};

std::optional<TextTest> text_test(const Comparison& comparison) {
  if (comparison.operators.size() != 1) return std::nullopt;
  const std::string& word = comparison.operators[0];
  TokenSpan right = comparison.operands[1];
  TextTest test;
  test.subject = text_of(comparison.operands[0]);
  test.equal = word == "==" || word == "in";
  if (word == "==" || word == "!=") {
    if (right.size() != 1 || right[0].kind != PythonTokenKind::String) return std::nullopt;
  } else if (word == "in" || word == "not in") {
    const bool list = right.size() > 2 && (right[0].is("[") || right[0].is("(") || right[0].is("{")) &&
                      closing_of(right, 0) + 1 == right.size();
    if (!list) return std::nullopt;
    right = right.subspan(1, right.size() - 2);
  } else {
    return std::nullopt;
  }
  for (const TokenSpan part : split_at_commas(right)) {
    if (part.size() != 1 || part[0].kind != PythonTokenKind::String) return std::nullopt;
    test.texts.emplace(contents_of(part[0]));
  }
  return test;
}

std::optional<bool> truth_of_test(const TextTest& test, const PythonState& state) {
  const auto found = state.domains.find(test.subject);
  if (found == state.domains.end()) return std::nullopt;
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

std::optional<bool> truth_of_name(const std::string& name, const PythonState& state, const ProviderView& provider) {
  if (name == "True" || name == "False") return name == "True";
  if (name == "None") return false;
  const AbstractValue* const value = state.find(name);
  if (value && value->kind == Kind::Truth) return value->truth;
  if (value && value->kind == Kind::Function) return true;
  if (const auto release = version_in_name(last_part(name)); release && provider.version && !value) {
    return *provider.version >= *release;
  }
  return std::nullopt;
}

std::optional<bool> truth_of_atom(TokenSpan atom, const PythonState& state, const ProviderView& provider) {
  if (const std::string name = dotted(atom); !name.empty()) {
    if (const auto truth = truth_of_name(name, state, provider)) return truth;
  }
  const Comparison comparison = comparison_of(atom);
  if (!comparison.operators.empty()) {
    bool all = true, known = true;
    for (size_t n = 0; n < comparison.operators.size(); ++n) {
      const auto left = version_of(comparison.operands[n], state, provider);
      const auto right = version_of(comparison.operands[n + 1], state, provider);
      known = known && left && right && comparison.operators[n].find_first_of("<>=") != std::string::npos;
      if (known) all = all && holds(comparison.operators[n], *left <=> *right);
    }
    if (known) return all;
    if (const auto test = text_test(comparison)) {
      if (const auto truth = truth_of_test(*test, state)) return truth;
    }
  }
  const auto found = state.decided.find(text_of(atom));
  return found == state.decided.end() ? std::nullopt : std::optional(found->second);
}

// The parts of `a or b or c`; one part where the word stands nowhere outside brackets.
std::vector<TokenSpan> split_at_word(TokenSpan tokens, std::string_view word) {
  std::vector<TokenSpan> parts;
  for (size_t begin = 0; begin <= tokens.size();) {
    const size_t end = find_outside(tokens, word, begin);
    parts.push_back(tokens.subspan(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::optional<PackageVersion> version_in_name(const std::string& name) {
  if (!name.ends_with("_plus")) return std::nullopt;
  const std::string front = name.substr(0, name.size() - 5);
  size_t begin = front.size();
  while (begin > 0 && (front[begin - 1] == '_' || (front[begin - 1] >= '0' && front[begin - 1] <= '9'))) --begin;
  std::string digits = front.substr(begin);
  while (digits.starts_with("_")) digits.erase(0, 1);
  std::replace(digits.begin(), digits.end(), '_', '.');
  return digits.empty() ? std::nullopt : parse_version(digits);
}

bool same_package(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto plain = [](char c) {
      return c == '_' || c == '.' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
    };
    return plain(x) == plain(y);
  });
}

std::string asked_package(TokenSpan tokens) {
  std::string callee;
  TokenSpan arguments;
  if (!is_call(without_brackets(tokens), callee, arguments)) return "";
  if (arguments.size() != 1 || arguments[0].kind != PythonTokenKind::String) return "";
  const std::string last = last_part(callee);
  const bool asks =
      last == "get_pkg_version" || last == "version" || last == "get_distribution" || last == "get_version";
  return asks ? std::string(contents_of(arguments[0])) : "";
}

std::optional<PackageVersion> version_of(TokenSpan tokens, const PythonState& state, const ProviderView& provider) {
  tokens = without_brackets(tokens);
  const std::string name = dotted(tokens);
  if (const AbstractValue* const value = name.empty() ? nullptr : state.find(name)) {
    if (value->kind == Kind::Release) return value->release;
  }
  if (name.ends_with(".__version__") && same_package(name.substr(0, name.find('.')), provider.package)) {
    return provider.version;
  }
  if (const std::string package = asked_package(tokens); !package.empty()) {
    return same_package(package, provider.package) ? provider.version : std::nullopt;
  }
  std::string callee;
  TokenSpan arguments;
  if (!is_call(tokens, callee, arguments) || !is_version_maker(last_part(callee))) return std::nullopt;
  if (arguments.size() == 1 && arguments[0].kind == PythonTokenKind::String) {
    return parse_version(contents_of(arguments[0]));
  }
  return version_of(arguments, state, provider);
}

std::optional<bool> truth_of(TokenSpan condition, const PythonState& state, const ProviderView& provider) {
  condition = without_brackets(condition);
  if (condition.empty()) return std::nullopt;
  for (const char* word : {"or", "and"}) {
    const std::vector<TokenSpan> parts = split_at_word(condition, word);
    if (parts.size() < 2) continue;
    const bool deciding = std::string_view(word) == "or";
    bool known = true;
    for (const TokenSpan part : parts) {
      const std::optional<bool> truth = truth_of(part, state, provider);
      if (truth == deciding) return deciding;
      known = known && truth.has_value();
    }
    if (known) return !deciding;
    const auto found = state.decided.find(text_of(condition));
    return found == state.decided.end() ? std::nullopt : std::optional(found->second);
  }
  if (condition[0].is("not")) {
    const std::optional<bool> truth = truth_of(condition.subspan(1), state, provider);
    return truth ? std::optional(!*truth) : std::nullopt;
  }
  return truth_of_atom(condition, state, provider);
}

void assume(TokenSpan condition, bool truth, PythonState& state, const ProviderView& provider) {
  condition = without_brackets(condition);
  if (condition.empty() || truth_of(condition, state, provider) == truth) return;
  for (const char* word : {"or", "and"}) {
    const std::vector<TokenSpan> parts = split_at_word(condition, word);
    if (parts.size() < 2) continue;
    const bool all = (std::string_view(word) == "and") == truth;  // each part is `truth` then
    std::vector<TokenSpan> open;
    for (const TokenSpan part : parts) {
      if (!truth_of(part, state, provider)) open.push_back(part);
    }
    if (all || open.size() == 1) {
      for (const TokenSpan part : open) assume(part, truth, state, provider);
    } else {
      state.decided[text_of(condition)] = truth;
    }
    return;
  }
  if (condition[0].is("not")) return assume(condition.subspan(1), !truth, state, provider);
  if (const auto test = text_test(comparison_of(condition))) {
    TextDomain& domain = state.domains[test->subject];
    if (test->equal == truth) {
      domain.among = test->texts;
    } else {
      domain.excluded.insert(test->texts.begin(), test->texts.end());
    }
    return;
  }
  state.decided[text_of(condition)] = truth;
}

}  // namespace ropewalk
