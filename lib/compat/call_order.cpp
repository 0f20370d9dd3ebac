#include "lib/compat/call_order.h"

#include <algorithm>

namespace ropewalk {
namespace {

// torch.autograd.Function is among its bases.
bool is_autograd_function(const PythonStatement& one) {
  return std::any_of(one.tokens.begin(), one.tokens.end(),
                     [](const PythonToken& token) { return token.is("Function"); });
}

// The name that a call at the name at `at` says: "C.apply" for a class, else the name; empty: it is no call.
std::string called_at(TokenSpan tokens, size_t at) {
  if (at > 0 && tokens[at - 1].is(".")) return "";
  const std::string name(tokens[at].text);
  if (at + 1 < tokens.size() && tokens[at + 1].is("(")) return name;
  const bool applies =
      at + 3 < tokens.size() && tokens[at + 1].is(".") && tokens[at + 2].is("apply") && tokens[at + 3].is("(");
  return applies ? name + ".apply" : "";
}

// Of the name that a def or a class gives, among its tokens.
size_t name_place(const PythonStatement& definition) { return definition.begins("async") ? 2 : 1; }

// What a file says of its own names.
struct Mentions {
  bool has_all = false;            // there is an __all__
  std::set<std::string> exported;  // the strings in it
  std::set<std::string> called;    // "f", "C.apply"
  std::set<std::string> otherwise;
};

Mentions mentions_of(const PythonFile& file) {
  Mentions all;
  visit_statements(file.statements, [&](const PythonStatement& statement) {
    const TokenSpan tokens = statement.tokens;
    const bool is_export = statement.begins("__all__");
    all.has_all = all.has_all || is_export;
    const bool defines = is_definition(statement) || statement.begins("class");
    for (size_t n = 0; n < tokens.size(); ++n) {
      if (is_export && tokens[n].kind == PythonTokenKind::String) all.exported.emplace(contents_of(tokens[n]));
      if (!tokens[n].is_name() || (defines && n == name_place(statement))) continue;
      const std::string called = called_at(tokens, n);
      called.empty() ? all.otherwise.emplace(tokens[n].text) : all.called.insert(called);
    }
  });
  return all;
}

bool is_method_of_class(const PythonStatement& decorator) {
  return decorator.begins("@") && decorator.tokens.size() == 2 &&
         (decorator.tokens[1].is("staticmethod") || decorator.tokens[1].is("classmethod"));
}

}  // namespace

bool is_definition(const PythonStatement& statement) {
  return statement.begins("def") ||
         (statement.begins("async") && statement.tokens.size() > 1 && statement.tokens[1].is("def"));
}

std::string defined_name(const PythonStatement& statement) {
  const size_t at = name_place(statement);
  return at < statement.tokens.size() ? std::string(statement.tokens[at].text) : "";
}

std::vector<NamedText> parameters_of(TokenSpan definition) {
  const size_t open = find_outside(definition, "(");
  if (open >= definition.size()) return {};
  std::vector<NamedText> parameters;
  for (TokenSpan part : split_at_commas(definition.subspan(open + 1, closing_of(definition, open) - open - 1))) {
    while (!part.empty() && !part[0].is_name()) part = part.subspan(1);
    if (part.empty()) continue;
    const size_t equals = find_outside(part, "=");
    parameters.push_back(
        {std::string(part[0].text), equals < part.size() ? text_of(part.subspan(equals + 1)) : std::string()});
  }
  return parameters;
}

CallOrder::CallOrder(const PythonFile& file, const std::function<bool(const std::string&)>& is_named_elsewhere) {
  take_block(file.statements);
  const Mentions mentions = mentions_of(file);
  std::erase_if(candidates_, [&](const auto& one) {
    const std::string name = one.first.substr(0, one.first.find('.'));
    const bool is_private = mentions.has_all ? mentions.exported.count(name) == 0 : name.starts_with("_");
    return !is_private || mentions.called.count(one.first) == 0 || mentions.otherwise.count(name) > 0 ||
           is_named_elsewhere(name);
  });
  for (const auto& [called, function] : candidates_) local_definitions_.insert(function.definition);
  find_callers();
}

void CallOrder::take_block(const std::vector<PythonStatement>& body) {
  for (size_t n = 0; n < body.size(); ++n) {
    const PythonStatement& one = body[n];
    const bool is_decorated = n > 0 && body[n - 1].begins("@");
    if (is_definition(one)) {
      definitions_.push_back(&one);
      // A decorator may hand the function on.
      if (!is_decorated) candidates_[defined_name(one)] = {&one, parameters_of(one.tokens)};
    } else if (one.begins("class")) {
      take_class(one);
    } else {
      take_block(one.body);
    }
  }
}

void CallOrder::take_class(const PythonStatement& one) {
  std::map<std::string, const PythonStatement*> methods;
  const PythonStatement* init = nullptr;
  for (size_t n = 0; n < one.body.size(); ++n) {
    if (!is_definition(one.body[n])) continue;
    definitions_.push_back(&one.body[n]);
    methods[defined_name(one.body[n])] = &one.body[n];
    if (defined_name(one.body[n]) == "__init__") init = &one.body[n];
  }
  for (size_t n = 0; n < one.body.size() && init; ++n) {
    const bool is_own = n == 0 || !is_method_of_class(one.body[n - 1]);
    if (is_definition(one.body[n]) && &one.body[n] != init && is_own) after_[&one.body[n]] = init;
  }
  if (!is_autograd_function(one) || !methods.count("forward") || !methods.count("backward")) return;
  const PythonStatement* const forward = methods.at("forward");
  after_[methods.at("backward")] = forward;
  with_context_.insert({forward, methods.at("backward")});
  std::vector<NamedText> parameters = parameters_of(forward->tokens);
  if (!parameters.empty()) parameters.erase(parameters.begin());  // ctx
  candidates_[defined_name(one) + ".apply"] = {forward, std::move(parameters)};
}

void CallOrder::find_callers() {
  for (const PythonStatement* definition : definitions_) {
    if (const PythonStatement* const first = comes_after(*definition)) before_[definition].insert(first);
    visit_statements(definition->body, [&](const PythonStatement& statement) {
      for (size_t n = 0; n < statement.tokens.size(); ++n) {
        if (!statement.tokens[n].is_name()) continue;
        const LocalFunction* const called = local(called_at(statement.tokens, n));
        if (called && called->definition != definition) before_[called->definition].insert(definition);
      }
    });
  }
}

const LocalFunction* CallOrder::local(const std::string& called) const {
  const auto found = candidates_.find(called);
  return found == candidates_.end() ? nullptr : &found->second;
}

const std::set<const PythonStatement*>& CallOrder::before(const PythonStatement& definition) const {
  static const std::set<const PythonStatement*> none;
  const auto found = before_.find(&definition);
  return found == before_.end() ? none : found->second;
}

const PythonStatement* CallOrder::comes_after(const PythonStatement& definition) const {
  const auto found = after_.find(&definition);
  return found == after_.end() ? nullptr : found->second;
}

}  // namespace ropewalk
