#include "lib/compat/call_order.h"

#include <algorithm>

#include "lib/compat/relevant.h"

namespace ropewalk::compat {
namespace {

bool is_autograd_function(const PythonNode& one) {
  return std::any_of(one.all("bases").begin(), one.all("bases").end(),
                     [](const PythonNode& base) { return base.word == "Function"; });
}

// The name that a call says: "C.apply" for a class, else the name; empty: it is no such call.
std::string called_by(const PythonNode& call) {
  const PythonNode& callee = call.one("func");
  if (!call.is("Call")) return "";
  if (callee.is("Name")) return callee.word;
  const bool applies = callee.word == "apply" && callee.one("value").is("Name");
  return applies ? callee.one("value").word + ".apply" : "";
}

// What a file says of its own names.
struct Mentions {
  bool has_all = false;            // there is an __all__
  std::set<std::string> exported;  // the strings in it
  std::set<std::string> called;    // "f", "C.apply"
  std::set<std::string> otherwise;

  void visit(const PythonNode& node) {
    const std::string name = called_by(node);
    if (!name.empty()) called.insert(name);
    for (const auto& [field, nodes] : node.fields) {
      const bool is_called = field == "func" && !name.empty();
      for (const PythonNode& inner : nodes) {
        if (is_called) continue;
        visit(inner);
      }
    }
    const bool defines = node.is_function() || node.is("ClassDef") || node.is("Text");
    if (!node.word.empty() && !defines) otherwise.insert(node.word);
  }
};

Mentions mentions_of(const PythonFile& file) {
  Mentions all;
  for (const PythonNode& statement : file.statements) all.visit(statement);
  visit_statements(file.statements, [&](const PythonNode& statement) {
    const PythonNode& target = statement.one(statement.is("Assign") ? "targets" : "target");
    const bool is_export = target.word == "__all__" || statement.one("value").one("func").text.starts_with("__all__.");
    if (!is_export) return;
    all.has_all = true;
    visit_expressions(statement, [&](const PythonNode& one) {
      if (one.is("Text")) all.exported.insert(one.word);
    });
  });
  return all;
}

// Functions and classes that the file names elsewhere than in themselves.
std::set<std::string> named_outside(const PythonFile& file) {
  std::set<std::string> defined, named;
  const auto defines = [](const PythonNode& one) { return one.is_function() || one.is("ClassDef"); };
  visit_statements(file.statements, [&](const PythonNode& one) {
    if (defines(one)) defined.insert(one.word);
  });
  for (const PythonNode& statement : file.statements) {
    const std::string inside = defines(statement) ? statement.word : "";
    visit_nodes(statement, [&](const PythonNode& one) {
      if (one.is("Name") && one.word != inside && defined.count(one.word)) named.insert(one.word);
    });
  }
  return named;
}

bool is_of_the_class(const PythonNode& method) {
  const std::vector<PythonNode>& decorators = method.all("decorator_list");
  return std::any_of(decorators.begin(), decorators.end(),
                     [](const PythonNode& one) { return one.word == "staticmethod" || one.word == "classmethod"; });
}

}  // namespace

std::vector<NamedText> parameters_of(const PythonNode& definition) {
  std::vector<NamedText> parameters;
  for (const PythonNode& one : definition.all("parameters")) parameters.push_back({one.word, one.one("default").text});
  return parameters;
}

CallOrder::CallOrder(const PythonFile& file, const std::function<bool(const std::string&)>& is_named_elsewhere)
    : classes_(file.statements) {
  take_block(file.statements);
  const Mentions mentions = mentions_of(file);
  for (const std::string& name : named_outside(file)) {
    if (!mentions.exported.count(name) && !is_named_elsewhere(name)) used_here_alone_.insert(name);
  }
  std::erase_if(candidates_, [&](const auto& one) {
    const std::string name = one.first.substr(0, one.first.find('.'));
    const bool is_private = mentions.has_all ? mentions.exported.count(name) == 0 : name.starts_with("_");
    return !is_private || mentions.called.count(one.first) == 0 || mentions.otherwise.count(name) > 0 ||
           is_named_elsewhere(name);
  });
  for (const auto& [called, function] : candidates_) local_definitions_.insert(function.definition);
  find_callers();
  find_kept();
}

void CallOrder::take_block(const std::vector<PythonNode>& body) {
  for (const PythonNode& one : body) {
    if (one.is_function()) {
      definitions_.push_back(&one);
      // A decorator may hand the function on.
      if (one.all("decorator_list").empty()) candidates_[one.word] = {&one, parameters_of(one)};
    } else if (one.is("ClassDef")) {
      take_class(one);
    } else {
      for (const auto& [field, nodes] : one.fields) {
        if (is_block(field)) take_block(nodes);
      }
    }
  }
}

void CallOrder::take_class(const PythonNode& one) {
  std::map<std::string, const PythonNode*> methods;
  for (const PythonNode& method : one.all("body")) {
    if (!method.is_function()) continue;
    definitions_.push_back(&method);
    methods[method.word] = &method;
  }
  auto init = methods.end();
  for (const char* first : {"__init__", "setUp", "setup_method", "setUpClass", "setup_class"}) {
    if (init == methods.end()) init = methods.find(first);
  }
  for (const auto& [name, method] : methods) {
    if (init != methods.end() && method != init->second && !is_of_the_class(*method)) after_[method] = init->second;
  }
  if (!is_autograd_function(one) || !methods.count("forward") || !methods.count("backward")) return;
  const PythonNode* const forward = methods.at("forward");
  after_[methods.at("backward")] = forward;
  with_context_.insert({forward, methods.at("backward")});
  std::vector<NamedText> parameters = parameters_of(*forward);
  if (!parameters.empty()) parameters.erase(parameters.begin());  // ctx
  candidates_[one.word + ".apply"] = {forward, std::move(parameters)};
}

void CallOrder::find_callers() {
  for (const PythonNode* definition : definitions_) {
    if (const PythonNode* const first = comes_after(*definition)) before_[definition].insert(first);
    visit_nodes(*definition, [&](const PythonNode& node) {
      const LocalFunction* const called = local(called_by(node));
      if (called && called->definition == definition) local_definitions_.erase(definition);
      if (called && called->definition != definition) before_[called->definition].insert(definition);
    });
  }
  // What a function gives itself is known when it has been walked.
  std::erase_if(candidates_, [&](const auto& one) { return !is_local(*one.second.definition); });
}

void CallOrder::find_kept() {
  for (const auto& [method, first] : after_) {
    if (!with_context_.count(first)) kept_[first];
  }
  for (const PythonNode* definition : definitions_) {
    if (kept_.count(definition)) continue;
    for (const std::string& name : assigned_names(definition->all("body"))) {
      if (name.find('.') != std::string::npos) changed_.insert(name.substr(name.rfind('.') + 1));
    }
  }
  for (auto& [first, kept] : kept_) {
    const std::vector<NamedText> parameters = parameters_of(*first);
    const std::set<std::string> assigned = assigned_names(first->all("body"));
    for (const PythonNode& statement : first->all("body")) {
      const PythonNode &target = statement.one("targets"), &value = statement.one("value");
      const bool is_parameter =
          value.is("Name") && !assigned.count(value.word) &&
          std::ranges::any_of(parameters, [&](const NamedText& one) { return one.name == value.word; });
      const bool is_own = target.is("Attribute") && target.one("value").word == parameters[0].name;
      if (is_parameter && is_own && !changed_.count(target.word)) kept[value.word] = target.text;
    }
  }
}

const std::map<std::string, std::string>* CallOrder::keeps(const PythonNode& definition) const {
  const auto found = kept_.find(&definition);
  return found == kept_.end() ? nullptr : &found->second;
}

const LocalFunction* CallOrder::local(const std::string& called) const {
  const auto found = candidates_.find(called);
  return found == candidates_.end() ? nullptr : &found->second;
}

const std::set<const PythonNode*>& CallOrder::before(const PythonNode& definition) const {
  static const std::set<const PythonNode*> none;
  const auto found = before_.find(&definition);
  return found == before_.end() ? none : found->second;
}

const PythonNode* CallOrder::comes_after(const PythonNode& definition) const {
  const auto found = after_.find(&definition);
  return found == after_.end() ? nullptr : found->second;
}

}  // namespace ropewalk::compat
