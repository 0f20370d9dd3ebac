#include "lib/compat/signature.h"

#include <algorithm>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

// Names of a returned tuple's elements; an element that is no plain name is "".
std::vector<std::string> elements_of(TokenSpan value) {
  std::vector<std::string> names;
  for (const TokenSpan part : split_at_commas(without_brackets(value))) {
    names.emplace_back(part.size() == 1 && part[0].is_name() ? part[0].text : std::string_view());
  }
  // One value that is no name may be a tuple that somebody else made.
  if (names.size() == 1 && names[0].empty()) names.clear();
  if (find_outside(value, "if") != value.size()) names.clear();
  return names;
}

void find_returns(const std::vector<PythonStatement>& body, std::vector<std::vector<std::string>>& all) {
  for (const PythonStatement& statement : body) {
    if (statement.begins("def") || statement.begins("class") || statement.begins("async")) continue;
    if (statement.begins("return")) all.push_back(elements_of(TokenSpan(statement.tokens).subspan(1)));
    find_returns(statement.body, all);
  }
}

// Returns that differ in number leave open what is returned.
std::vector<std::string> returns_of(const PythonStatement& function) {
  std::vector<std::vector<std::string>> all;
  find_returns(function.body, all);
  if (all.empty()) return {};
  for (const auto& one : all) {
    if (one.size() != all[0].size()) return {};
  }
  return all.back();
}

void collect(const std::vector<PythonStatement>& statements, const PythonFile& file, std::vector<Signature>& all) {
  for (const PythonStatement& statement : statements) {
    const TokenSpan tokens = statement.tokens;
    const size_t name = statement.begins("async") ? 2 : 1;
    if (name < tokens.size() && tokens[name - 1].is("def")) {
      const size_t open = name + 1;
      if (!tokens[name].is_name() || open >= tokens.size() || !tokens[open].is("(")) {
        throw InputError(Place{file.path, tokens[0].line}, "expected a function's name and its parameters after def");
      }
      Signature signature;
      signature.name = tokens[name].text;
      signature.parameters = read_parameters(tokens.subspan(open + 1, closing_of(tokens, open) - open - 1), file.path);
      signature.returns = returns_of(statement);
      signature.file = file.path;
      signature.line = tokens[0].line;
      all.push_back(std::move(signature));
    } else if (!statement.begins("class")) {
      collect(statement.body, file, all);
    }
  }
}

}  // namespace

std::vector<SignatureParameter> read_parameters(TokenSpan tokens, const std::string& path) {
  std::vector<SignatureParameter> parameters;
  SignatureParameter::Kind kind = SignatureParameter::Kind::Either;
  for (TokenSpan part : split_at_commas(tokens)) {
    const auto fail = [&](const std::string& what) {
      throw InputError(Place{path, part.empty() ? tokens.front().line : part.front().line}, what);
    };
    if (part.empty()) fail("a parameter is missing between two commas");
    if (part.size() == 1 && part[0].is("/")) {
      for (SignatureParameter& before : parameters) before.kind = SignatureParameter::Kind::PositionalOnly;
      continue;
    }
    SignatureParameter parameter;
    parameter.kind = kind;
    if (part[0].is("*") || part[0].is("**")) {
      parameter.kind = part[0].is("*") ? SignatureParameter::Kind::AnyPositional : SignatureParameter::Kind::AnyKeyword;
      kind = SignatureParameter::Kind::KeywordOnly;
      part = part.subspan(1);
      if (part.empty()) continue;  // a bare * names nothing
    }
    if (!part[0].is_name()) fail("expected a parameter's name, found \"" + std::string(part[0].text) + "\"");
    parameter.name = part[0].text;
    if (const size_t equals = find_outside(part, "="); equals != part.size()) {
      parameter.default_text = text_of(part.subspan(equals + 1));
    }
    if (std::any_of(parameters.begin(), parameters.end(),
                    [&](const SignatureParameter& p) { return p.name == parameter.name; }))
      fail("the parameter \"" + parameter.name + "\" stands twice");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<SignatureParameter> read_parameters(const std::string& text, const std::string& path) {
  std::vector<PythonToken> tokens = read_python_tokens(text, path);
  std::erase_if(tokens, [](const PythonToken& token) { return token.kind >= PythonTokenKind::Newline; });
  return read_parameters(TokenSpan(tokens), path);
}

std::vector<Signature> read_signatures(const PythonFile& file) {
  std::vector<Signature> all;
  collect(file.statements, file, all);
  return all;
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
