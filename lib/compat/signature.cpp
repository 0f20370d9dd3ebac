#include "lib/compat/signature.h"

namespace ropewalk {
namespace {

using Kind = SignatureParameter::Kind;

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

Kind kind_named(const std::string& name) {
  if (name == "PositionalOnly") return Kind::PositionalOnly;
  if (name == "KeywordOnly") return Kind::KeywordOnly;
  if (name == "AnyPositional") return Kind::AnyPositional;
  return name == "AnyKeyword" ? Kind::AnyKeyword : Kind::Either;
}

void collect(const std::vector<PythonNode>& statements, const PythonFile& file, std::vector<Signature>& all) {
  for (const PythonNode& statement : statements) {
    if (statement.is_function()) {
      Signature signature{statement.word, "", {}, returns_of(statement), "", file.path, statement.line};
      for (const PythonNode& one : statement.all("parameters")) {
        SignatureParameter parameter{one.word, kind_named(one.kind), std::nullopt};
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

}  // namespace ropewalk
