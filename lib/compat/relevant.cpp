#include "lib/compat/relevant.h"

#include <algorithm>

#include "lib/compat/argument_parts.h"
#include "lib/compat/collection_methods.h"
#include "lib/compat/module_names.h"

namespace ropewalk::compat {
namespace {

bool has_names(const PythonNode& node, const std::set<std::string>& names) {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) { found = found || (one.is("Name") && names.count(one.word)); });
  return found;
}

bool any_has_names(const std::vector<PythonNode>& nodes, const std::set<std::string>& names) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const PythonNode& one) { return has_names(one, names); });
}

// getattr(module, "name"), import_module("module")
bool is_lookup(const PythonNode& node) {
  const std::string& called = node.one("func").word;
  return node.is("Call") && (called == "getattr" || called == "import_module" || called == "__import__" ||
                             called == "importorskip" || called == "partial");
}

bool has_call(const PythonNode& node) {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) { found = found || (one.is("Call") && !is_lookup(one)); });
  return found;
}

bool looks_up_module(const PythonNode& node, const ProviderView& provider) {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) {
    found = found || (is_lookup(one) && one.one("args").is("Text") && is_module(one.one("args").word, provider));
  });
  return found;
}

// What a statement gives something: targets of assignments and of loops, `as` of with, names that := stands behind.
template <class Visit>
void visit_targets(const PythonNode& statement, const Visit& visit) {
  for (const char* field : {"targets", "target"}) {
    for (const PythonNode& target : statement.all(field)) visit(target);
  }
  visit_expressions(statement, [&](const PythonNode& one) {
    if (one.is("NamedExpr")) visit(one.one("target"));
    if (one.is("withitem") && one.one("optional_vars")) visit(one.one("optional_vars"));
  });
}

// Names that something is given to, and changed by: "kw" of `kw["a"] = 1`, "self.kw" of `self.kw |= other`.
std::string name_changed(const PythonNode& target) {
  return dotted_name(target.is("Subscript") ? target.one("value") : target);
}

// Which collections end up in the arguments of a provider's function, and what they are made of.
class Unpacked {
 public:
  Unpacked(const PythonFile& file, const ProviderView& provider, const std::set<std::string>& functions)
      : file_(file), provider_(provider), functions_(functions) {
    visit_statements(file.statements, [&](const PythonNode& statement) {
      visit_expressions(statement, [&](const PythonNode& call) {
        if (may_call(call)) visit_unpacked(call, [&](const PythonNode& one) { take(one); });
      });
    });
    while (grown_) {
      grown_ = false;
      visit_statements(file_.statements, [&](const PythonNode& statement) { follow(statement); });
    }
  }
  std::set<std::string> names;

 private:
  // Whether the call is one of a provider's function, or partial(f, ..).
  bool may_call(const PythonNode& call) const {
    const PythonNode& callee = call.one("func");
    if (!call.is("Call")) return false;
    return functions_.count(callee.word) || has_names(callee, functions_) || is_function(callee.word, provider_) ||
           (callee.word == "partial" && any_has_names(call.all("args"), functions_));
  }
  void take(const PythonNode& value) {
    const std::string name = dotted_name(value);
    if (!name.empty()) grown_ = names.insert(name).second || grown_;
    if (value.is("Call")) grown_ = makers_.insert(value.one("func").word).second || grown_;
    visit_parts(value, [&](const PythonNode& part) { take(part); });
  }
  // What the statement puts into a collection that is known to be one of them.
  void follow(const PythonNode& statement) {
    const PythonNode& value = statement.one("value");
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        if (!target.is("Subscript") && names.count(name_changed(target))) take(value);
      }
    }
    const PythonNode& callee = value.one("func");
    if (callee.is("Attribute") && names.count(dotted_name(callee.one("value")))) take(value);
    if (!statement.is_function() || !makers_.count(statement.word)) return;
    visit_statements(statement.all("body"), [&](const PythonNode& inner) {
      if (inner.is("Return")) take(inner.one("value"));
    });
  }

  const PythonFile& file_;
  const ProviderView& provider_;
  const std::set<std::string>& functions_;
  std::set<std::string> makers_;  // functions that return one
  bool grown_ = false;
};

}  // namespace

std::vector<Import> imports_of(const PythonNode& statement) {
  std::vector<Import> imports;
  if (statement.is("ImportFrom")) imports.push_back({statement.word, false, {}});
  for (const PythonNode& alias : statement.all("names")) {
    const PythonNode& as = alias.one("as");
    if (statement.is("Import")) imports.push_back({alias.word, true, {}});
    if (as || statement.is("ImportFrom")) imports.back().names.emplace_back(alias.word, as ? as.word : alias.word);
  }
  return imports;
}

bool is_module(const std::string& name, const ProviderView& provider) {
  return std::any_of(provider.modules.begin(), provider.modules.end(),
                     [&](const auto& module) { return module.first == name || module.first.starts_with(name + "."); });
}

const std::string* defining_module(const std::string& module, const std::string& name, const ProviderView& provider) {
  const auto exact = provider.modules.find(module);
  if (exact != provider.modules.end() && exact->second.count(name)) return &exact->first;
  if (lacks(provider, module, name)) return nullptr;
  const std::string* found = nullptr;
  for (const auto& [path, functions] : provider.modules) {
    // `from flash_attn import f` of a function that stands in flash_attn.flash_attn_interface.
    const bool below = path.starts_with(module + ".");
    if (!below || !functions.count(name)) continue;
    if (!found || path.ends_with("interface")) found = &path;
  }
  return found;
}

std::vector<std::pair<std::string, const PythonNode*>> globals_given(const PythonNode& statement) {
  std::vector<std::pair<std::string, const PythonNode*>> given;
  const PythonNode &value = statement.one("value"), &callee = value.one("func");
  for (const PythonNode& target : statement.all("targets")) {
    const std::string& whole = target.one("value").text;
    if (target.is("Subscript") && whole == "globals()" && target.one("slice").is("Text")) {
      given.emplace_back(target.one("slice").word, &value);
    } else if (target.is("Attribute") && whole == "sys.modules[__name__]") {
      given.emplace_back(target.word, &value);
    }
  }
  if (!statement.is("Expr") || !value.is("Call")) return given;
  const std::vector<PythonNode>& arguments = value.all("args");
  if (callee.text == "setattr" && arguments.size() == 3 && arguments[0].text == "sys.modules[__name__]") {
    if (arguments[1].is("Text")) given.emplace_back(arguments[1].word, &arguments[2]);
  } else if (callee.text == "globals().update") {
    for (const PythonNode& one : value.all("keywords")) given.emplace_back(one.word, &one.one("value"));
    const PythonNode& table = value.one("args");
    for (size_t n = 0; n < table.all("keys").size(); ++n) {
      if (table.all("keys")[n].is("Text")) given.emplace_back(table.all("keys")[n].word, &table.all("values")[n]);
    }
  }
  return given;
}

std::set<std::string> assigned_names(const std::vector<PythonNode>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonNode& statement) {
    if (statement.is_function() || statement.is("ClassDef")) names.insert(statement.word);
    for (const auto& [name, value] : globals_given(statement)) names.insert(name);
    for (const Import& import : imports_of(statement)) {
      for (const auto& [name, alias] : import.names) names.insert(alias);
    }
    visit_targets(statement, [&](const PythonNode& target) {
      std::set<const PythonNode*> owners;  // of attributes: they are what they were
      visit_nodes(target, [&](const PythonNode& one) {
        if (one.is("Attribute")) owners.insert(&one.one("value"));
        if (one.is("Name") && !owners.count(&one)) names.insert(one.word);
        if (one.is("Attribute") && one.one("value").is("Name")) names.insert(one.text);
      });
    });
  });
  return names;
}

std::set<std::string> changed_names(const std::vector<PythonNode>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonNode& statement) {
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        const bool changes = target.is("Subscript") || statement.is("AugAssign");
        if (changes) names.insert(dotted_name(target.is("Subscript") ? target.one("value") : target));
      }
    }
    visit_expressions(statement, [&](const PythonNode& call) {
      const PythonNode& callee = call.one("func");
      if (callee.is("Attribute") && !only_reads(callee.word)) names.insert(dotted_name(callee.one("value")));
    });
  });
  names.erase("");
  return names;
}

std::set<std::string> filled_names(const std::vector<PythonNode>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonNode& statement) {
    for (const char* field : {"targets", "target"}) {
      for (const PythonNode& target : statement.all(field)) {
        if (target.is("Subscript")) names.insert(dotted_name(target.one("value")));
      }
    }
    visit_expressions(statement, [&](const PythonNode& call) {
      const PythonNode& callee = call.one("func");
      const bool fills = changes_its_owner(callee.word) || callee.word == "add" || callee.word == "discard";
      if (callee.is("Attribute") && fills) names.insert(dotted_name(callee.one("value")));
    });
  });
  names.erase("");
  return names;
}

std::set<std::string> changed_in_functions(const std::vector<PythonNode>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonNode& statement) {
    if (statement.is_function()) names.merge(changed_names(statement.all("body")));
  });
  return names;
}

std::set<std::string> attributes_given(const std::vector<PythonNode>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonNode& statement) {
    visit_targets(statement, [&](const PythonNode& target) {
      visit_nodes(target, [&](const PythonNode& one) {
        if (one.is("Attribute")) names.insert(one.word);
      });
    });
    const PythonNode& call = statement.one("value");
    if (call.one("func").word != "setattr") return;
    for (const PythonNode& one : call.all("args")) names.insert(one.word);
  });
  return names;
}

bool may_be_given(const std::vector<PythonNode>& body, const PythonNode& definition, const PythonNode& parameter) {
  const std::vector<PythonNode>& parameters = definition.all("parameters");
  const size_t position = parameter.is("KeywordOnly") ? parameters.size() : size_t(&parameter - parameters.data());
  bool given = false;
  visit_statements(body, [&](const PythonNode& statement) {
    visit_expressions(statement, [&](const PythonNode& call) {
      if (!call.is("Call") || call.one("func").word != definition.word) return;
      const std::vector<PythonNode>& arguments = call.all("args");
      // Of a method the object stands before the arguments.
      given = given || arguments.size() + (call.one("func").is("Attribute") ? 1 : 0) > position;
      given = given || std::ranges::any_of(arguments, [](const PythonNode& one) { return one.is("Starred"); });
      for (const PythonNode& keyword : call.all("keywords"))
        given = given || keyword.word.empty() || keyword.word == parameter.word;
    });
  });
  return given;
}

bool changes_any(const std::vector<PythonNode>& body, const std::set<std::string>& names) {
  bool changes = false;
  visit_statements(body, [&](const PythonNode& statement) {
    const bool leaves = statement.is("Return") || statement.is("Raise") || statement.is("Continue") ||
                        statement.is("Break") || statement.is("Assert");
    changes = changes || leaves || (statement.is("Delete") && any_has_names(statement.all("targets"), names));
    visit_targets(statement, [&](const PythonNode& target) {
      changes = changes || has_names(target, names) || names.count(name_changed(target));
    });
    for (const auto& [name, value] : globals_given(statement)) changes = changes || names.count(name);
    for (const Import& import : imports_of(statement)) {
      for (const auto& [name, alias] : import.names) changes = changes || names.count(alias);
    }
    // mapping.update(...), list.append(...), x = mapping.pop(...)
    visit_expressions(statement, [&](const PythonNode& call) {
      const PythonNode& callee = call.one("func");
      const bool may_change = callee.is("Attribute") && (statement.is("Expr") || changes_its_owner(callee.word));
      changes = changes || (may_change && names.count(dotted_name(callee.one("value"))));
    });
  });
  return changes;
}

bool is_function(const std::string& name, const ProviderView& provider) {
  return std::any_of(provider.modules.begin(), provider.modules.end(),
                     [&](const auto& module) { return module.second.count(name) > 0; });
}

std::set<std::string> handed_on(const PythonFile& file, const ProviderView& provider) {
  std::set<std::string> functions;
  visit_statements(file.statements, [&](const PythonNode& statement) {
    for (const Import& import : imports_of(statement)) {
      if (import.names.empty() && is_module(import.module, provider)) {
        functions.insert(import.module.substr(0, import.module.find('.')));
      }
      for (const auto& [name, alias] : import.names) {
        const bool module = import.whole && is_module(import.module, provider);
        if (module || defining_module(import.module, name, provider)) functions.insert(alias);
        // Another module may hand the provider's function on.
        if (!import.whole && is_function(name, provider)) functions.insert(alias);
      }
    }
  });
  // Names that are given a function: `forward = varlen_forward if packed else dense_forward`, `def f(q, attn=forward)`.
  for (bool grown = true; grown;) {
    grown = false;
    visit_statements(file.statements, [&](const PythonNode& statement) {
      for (const PythonNode& parameter : statement.all("parameters")) {
        const PythonNode& otherwise = parameter.one("default");
        const bool hands_on = !dotted_name(otherwise).empty() && has_names(otherwise, functions);
        if (hands_on) grown = functions.insert(parameter.word).second || grown;
      }
      const PythonNode& target = statement.one("targets");
      if (!target.is("Name") || has_call(statement.one("value"))) return;
      const bool gives =
          has_names(statement.one("value"), functions) || looks_up_module(statement.one("value"), provider);
      if (gives) grown = functions.insert(target.word).second || grown;
    });
  }
  return functions;
}

std::set<std::string> relevant_names(const PythonFile& file, const ProviderView& provider) {
  const std::set<std::string> functions = handed_on(file, provider);
  std::set<std::string> names = functions;
  names.merge(Unpacked(file, provider, functions).names);
  // What the conditions around them at the module's own level ask for: `if _flash_attn_is_installed:`.
  for (bool grown = true; grown;) {
    grown = false;
    const auto visit = [&](const auto& self, const std::vector<PythonNode>& body) -> void {
      for (const PythonNode& statement : body) {
        if (statement.is_function() || statement.is("ClassDef")) continue;
        if (statement.is("If") &&
            (changes_any(statement.all("body"), names) || changes_any(statement.all("orelse"), names))) {
          visit_nodes(statement.one("test"), [&](const PythonNode& one) {
            if (one.is("Name") || one.is("Attribute")) grown = names.insert(one.word).second || grown;
          });
        }
        for (const auto& [field, nodes] : statement.fields) {
          if (is_block(field)) self(self, nodes);
        }
      }
    };
    visit(visit, file.statements);
  }
  return names;
}

}  // namespace ropewalk::compat
