#include "lib/compat/signature.h"

#include <cctype>

#include "lib/compat/constant.h"

namespace ropewalk::compat {
namespace {

using ParameterKind = SignatureParameter::Kind;

// Names of a returned tuple's elements; an element that is no plain name is "".
std::vector<std::string> elements_of(const PythonNode& value) {
  // One value that is no name may be a tuple that somebody else made.
  if (value.is("Name")) return {value.word};
  std::vector<std::string> names;
  for (const PythonNode& one : value.is("Tuple") ? value.all("elts") : std::vector<PythonNode>()) {
    names.push_back(one.is("Name") ? one.word : "");
  }
  return names;
}

void find_returns(const std::vector<PythonNode>& body, std::vector<std::vector<std::string>>& all) {
  for (const PythonNode& statement : body) {
    if (statement.is_function() || statement.is("ClassDef")) continue;
    if (statement.is("Return")) all.push_back(elements_of(statement.one("value")));
    for (const auto& [field, nodes] : statement.fields) {
      if (is_block(field)) find_returns(nodes, all);
    }
  }
}

// Returns that differ in number leave open what is returned.
std::vector<std::string> returns_of(const PythonNode& function) {
  std::vector<std::vector<std::string>> all;
  find_returns(function.all("body"), all);
  if (all.empty()) return {};
  for (const auto& one : all) {
    if (one.size() != all[0].size()) return {};
  }
  return all.back();
}

ParameterKind kind_named(const std::string& name) {
  if (name == "PositionalOnly") return ParameterKind::PositionalOnly;
  if (name == "KeywordOnly") return ParameterKind::KeywordOnly;
  if (name == "AnyPositional") return ParameterKind::AnyPositional;
  return name == "AnyKeyword" ? ParameterKind::AnyKeyword : ParameterKind::Either;
}

void collect(const std::vector<PythonNode>& statements, const PythonFile& file, std::vector<Signature>& all) {
  for (const PythonNode& statement : statements) {
    if (statement.is_function()) {
      Signature signature{
          .name = statement.word, .returns = returns_of(statement), .file = file.path, .line = statement.line};
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
