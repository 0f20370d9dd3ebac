#include "lib/compat/signature.h"

#include <algorithm>
#include <cctype>

#include "lib/compat/constant.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

using ParameterKind = SignatureParameter::Kind;

// What the value may be that a name is given as a whole: a tuple that somebody else made.
bool may_be_tuple(const PythonNode& value) {
  const bool computes = value.is("BinOp") || value.is("UnaryOp") || value.is("Constant") || value.is("Number");
  return !computes && !(value.is("Call") && value.one("func").text.starts_with("torch."));
}

// What a function returns, and what decides on that.
class Returns {
 public:
  explicit Returns(const PythonNode& function) : given_(assigned_names(function.all("body"))) {
    for (const PythonNode& one : function.all("parameters")) parameters_.insert(one.word);
    visit_statements(function.all("body"), [&](const PythonNode& statement) {
      for (const PythonNode& target : statement.all("targets")) {
        if (target.is("Name") && may_be_tuple(statement.one("value"))) whole_.insert(target.word);
      }
    });
    find(function.all("body"), std::nullopt);
  }

  // Returns that differ in number, and not by one flag alone, leave open what is returned.
  void tell(Signature& signature) const {
    if (is_same(all_)) {
      signature.returns = all_.back();
    } else if (all_.size() == yes_.size() + no_.size() && is_same(yes_) && is_same(no_) && flags_.size() == 1) {
      signature.returns = no_.back();
      signature.flag = *flags_.begin();
      signature.flagged = yes_.back();
    }
  }

 private:
  using Elements = std::vector<std::string>;

  static bool is_same(const std::vector<Elements>& all) {
    const auto fits = [&](const Elements& one) { return !one.empty() && one.size() == all[0].size(); };
    return !all.empty() && std::ranges::all_of(all, fits);
  }
  // A parameter that decides as it is given.
  bool is_flag(const PythonNode& test) const {
    return test.is("Name") && parameters_.count(test.word) && !given_.count(test.word);
  }
  // Names of a returned tuple's elements; an element that is no plain name is "". None: it may be any value.
  Elements elements_of(const PythonNode& value) const {
    if (value.is("Name") && !whole_.count(value.word)) return {value.word};
    Elements names;
    for (const PythonNode& one : value.is("Tuple") ? value.all("elts") : std::vector<PythonNode>()) {
      if (one.is("Starred")) return {};
      names.push_back(one.is("Name") ? one.word : "");
    }
    return names;
  }
  // Of a test that is a flag, or `not` one, of which nothing is known yet: the outcome that is the flag's own truth.
  std::optional<bool> truth_by_flag(const PythonNode& test, std::optional<bool> known) {
    const bool negates = test.is("UnaryOp") && test.word == "Not";
    const PythonNode& flag = negates ? test.one("operand") : test;
    if (known || !is_flag(flag)) return std::nullopt;
    flags_.insert(flag.word);
    return !negates;
  }
  void take(const PythonNode& value, std::optional<bool> flag) {
    const auto truth = value.is("IfExp") ? truth_by_flag(value.one("test"), flag) : std::nullopt;
    if (truth) {
      take(value.one("body"), *truth);
      take(value.one("orelse"), !*truth);
      return;
    }
    all_.push_back(elements_of(value));
    if (flag) (*flag ? yes_ : no_).push_back(all_.back());
  }
  // flag: what it is where the statements are reached, if that is known.
  void find(const std::vector<PythonNode>& body, std::optional<bool> flag) {
    for (const PythonNode& statement : body) {
      if (statement.is_function() || statement.is("ClassDef")) continue;
      if (statement.is("Return")) take(statement.one("value"), flag);
      const bool returns = statement.is("If") && statement.all("body").back().is("Return");
      const auto truth = returns ? truth_by_flag(statement.one("test"), flag) : std::nullopt;
      if (truth) {
        find(statement.all("body"), *truth);
        find(statement.all("orelse"), !*truth);
        flag = !*truth;
        continue;
      }
      for (const auto& [field, nodes] : statement.fields) {
        if (is_block(field)) find(nodes, flag);
      }
    }
  }

  std::set<std::string> parameters_, given_, whole_;  // names: whole_ may be tuples
  std::set<std::string> flags_;
  std::vector<Elements> all_, yes_, no_;  // of these, those that the flag decides on
};

ParameterKind kind_named(const std::string& name) {
  if (name == "PositionalOnly") return ParameterKind::PositionalOnly;
  if (name == "KeywordOnly") return ParameterKind::KeywordOnly;
  if (name == "AnyPositional") return ParameterKind::AnyPositional;
  return name == "AnyKeyword" ? ParameterKind::AnyKeyword : ParameterKind::Either;
}

void collect(const std::vector<PythonNode>& statements, const PythonFile& file, std::vector<Signature>& all) {
  for (const PythonNode& statement : statements) {
    if (statement.is_function()) {
      Signature signature{.name = statement.word, .file = file.path, .line = statement.line};
      Returns(statement).tell(signature);
      for (const PythonNode& one : statement.all("parameters")) {
        SignatureParameter parameter{one.word, kind_named(one.kind), std::nullopt, ValueKind::Any};
        if (one.one("default")) parameter.default_text = one.one("default").text;
        signature.parameters.push_back(std::move(parameter));
      }
      all.push_back(std::move(signature));
    } else if (!statement.is("ClassDef")) {
      for (const auto& [field, nodes] : statement.fields) {
        if (is_block(field)) collect(nodes, file, all);
      }
    }
  }
}

}  // namespace

ValueKind value_kind_of(const std::string& text) {
  if (text == "True" || text == "False") return ValueKind::Truth;
  if (text == "None") return ValueKind::None;
  if (text.empty()) return ValueKind::Any;
  if (text.size() > 1 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
    return text.find(text[0], 1) == text.size() - 1 ? ValueKind::Text : ValueKind::Any;
  }
  const std::string number = text.substr(text[0] == '-');
  if (PythonConstant::decimal(number) && std::isdigit(static_cast<unsigned char>(number[0]))) return ValueKind::Number;
  // Brackets around all of it, with a comma between values.
  if (text[0] != '(' && text[0] != '[') return ValueKind::Any;
  int depth = 0;
  bool commas = text[0] == '[';
  for (size_t n = 0; n < text.size(); ++n) {
    depth += (text[n] == '(' || text[n] == '[') - (text[n] == ')' || text[n] == ']');
    commas = commas || (depth == 1 && text[n] == ',');
    if (depth == 0) return n + 1 == text.size() && commas ? ValueKind::Pair : ValueKind::Any;
  }
  return ValueKind::Any;
}

std::vector<Signature> read_signatures(const PythonFile& file) {
  std::vector<Signature> all;
  collect(file.statements, file, all);
  return all;
}

void add_names(const Signature& signature, Vocabulary& names) {
  for (size_t n = 0; n < signature.parameters.size(); ++n) names[signature.parameters[n].name].insert(n);
}

std::string text_of(const Signature& signature) {
  std::string text = signature.name + "(";
  bool keyword_only = false;
  for (size_t n = 0; n < signature.parameters.size(); ++n) {
    const SignatureParameter& parameter = signature.parameters[n];
    if (n) text += ", ";
    if (parameter.kind == SignatureParameter::Kind::KeywordOnly && !keyword_only) text += "*, ";
    keyword_only = parameter.kind == SignatureParameter::Kind::KeywordOnly ||
                   parameter.kind == SignatureParameter::Kind::AnyPositional;
    if (parameter.kind == SignatureParameter::Kind::AnyPositional) text += "*";
    if (parameter.kind == SignatureParameter::Kind::AnyKeyword) text += "**";
    text += parameter.name;
    if (parameter.default_text) text += "=" + *parameter.default_text;
  }
  return text + ")";
}

}  // namespace ropewalk::compat
