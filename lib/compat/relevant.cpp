#include "lib/compat/relevant.h"

#include <algorithm>

namespace ropewalk {
namespace {

std::string dotted_from(TokenSpan tokens, size_t& at) {
  std::string name;
  while (at < tokens.size() && (tokens[at].is(".") || tokens[at].is("...") ||
                                (tokens[at].is_name() && !tokens[at].is("import") && !tokens[at].is("as")))) {
    name += tokens[at++].text;
  }
  return name;
}

// Where an assignment's value begins, 0: it is none. Augmented and annotated ones count.
size_t value_begin(TokenSpan tokens) {
  for (const char* word : {"=", "+=", "|="}) {
    const size_t at = find_outside(tokens, word);
    if (at < tokens.size()) return at + 1;
  }
  return 0;
}

bool stands_in(TokenSpan tokens, const std::set<std::string>& names) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const PythonToken& token) { return token.is_name() && names.count(std::string(token.text)); });
}

bool is_condition(const PythonStatement& statement) { return statement.begins("if") || statement.begins("elif"); }

void add_unpacked(TokenSpan tokens, const std::set<std::string>& functions, std::set<std::string>& names) {
  for (size_t n = 0; n + 1 < tokens.size(); ++n) {
    if (!tokens[n].is_name() || !tokens[n + 1].is("(") || !functions.count(std::string(tokens[n].text))) continue;
    const size_t close = closing_of(tokens, n + 1);
    for (const TokenSpan part : split_at_commas(tokens.subspan(n + 2, close - n - 2))) {
      if (part.size() == 2 && (part[0].is("*") || part[0].is("**"))) names.emplace(part[1].text);
    }
  }
}

}  // namespace

std::vector<Import> imports_of(const PythonStatement& statement) {
  const TokenSpan tokens = statement.tokens;
  std::vector<Import> imports;
  size_t at = 1;
  if (statement.begins("from")) {
    Import import;
    import.module = dotted_from(tokens, at);
    if (at >= tokens.size() || !tokens[at].is("import")) return {};
    for (const TokenSpan part : split_at_commas(without_brackets(tokens.subspan(at + 1)))) {
      if (part.empty() || !part[0].is_name()) continue;
      import.names.emplace_back(part[0].text, part.size() == 3 ? part[2].text : part[0].text);
    }
    imports.push_back(std::move(import));
  } else if (statement.begins("import")) {
    for (const TokenSpan part : split_at_commas(tokens.subspan(1))) {
      Import import;
      import.whole = true;
      size_t from = 0;
      import.module = dotted_from(part, from);
      if (from + 1 < part.size() && part[from].is("as")) import.names.emplace_back(import.module, part[from + 1].text);
      imports.push_back(std::move(import));
    }
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
  if (exact != provider.modules.end()) return nullptr;
  const std::string* found = nullptr;
  for (const auto& [path, functions] : provider.modules) {
    // `from flash_attn import f` of a function that stands in flash_attn.flash_attn_interface.
    const bool below = path.starts_with(module + ".");
    if (!below || !functions.count(name)) continue;
    if (!found || path.ends_with("interface")) found = &path;
  }
  return found;
}

std::set<std::string> assigned_names(const std::vector<PythonStatement>& body) {
  std::set<std::string> names;
  visit_statements(body, [&](const PythonStatement& statement) {
    const TokenSpan targets = TokenSpan(statement.tokens).first(value_begin(statement.tokens));
    for (size_t n = 0; n < targets.size(); ++n) {
      if (!targets[n].is_name() || (n > 0 && targets[n - 1].is("."))) continue;
      const bool is_attribute = n + 2 < targets.size() && targets[n + 1].is(".") && targets[n + 2].is_name();
      names.insert(text_of(targets.subspan(n, is_attribute ? 3 : 1)));
    }
  });
  return names;
}

bool changes_any(const std::vector<PythonStatement>& body, const std::set<std::string>& names) {
  bool changes = false;
  visit_statements(body, [&](const PythonStatement& statement) {
    const TokenSpan tokens = statement.tokens;
    if (statement.begins("return") || statement.begins("raise") || statement.begins("continue") ||
        statement.begins("break") || statement.begins("assert")) {
      changes = true;
    } else if (const size_t value = value_begin(tokens)) {
      changes = changes || stands_in(tokens.first(value), names);
    } else if (statement.begins("from") || statement.begins("import")) {
      for (const Import& import : imports_of(statement)) {
        for (const auto& [name, alias] : import.names) changes = changes || names.count(alias);
      }
    } else if (tokens.size() > 3 && tokens[0].is_name() && tokens[1].is(".")) {
      changes = changes || stands_in(tokens.first(1), names);  // mapping.update(...), list.append(...)
    } else if (statement.begins("del")) {
      changes = changes || stands_in(tokens, names);
    }
  });
  return changes;
}

std::set<std::string> relevant_names(const PythonFile& file, const ProviderView& provider) {
  std::set<std::string> functions;
  visit_statements(file.statements, [&](const PythonStatement& statement) {
    for (const Import& import : imports_of(statement)) {
      for (const auto& [name, alias] : import.names) {
        const bool module = import.whole && is_module(import.module, provider);
        if (module || defining_module(import.module, name, provider)) functions.insert(alias);
      }
    }
  });
  // Names that are given a function: `forward = varlen_forward if packed else dense_forward`.
  for (bool grown = true; grown;) {
    grown = false;
    visit_statements(file.statements, [&](const PythonStatement& statement) {
      const TokenSpan tokens = statement.tokens;
      const size_t value = value_begin(tokens);
      if (value != 2 || find_outside(tokens, "(", value) != tokens.size()) return;
      if (stands_in(without_brackets(tokens.subspan(value)), functions)) {
        grown = functions.emplace(tokens[0].text).second || grown;
      }
    });
    visit_statements(file.statements, [&](const PythonStatement& statement) {
      const TokenSpan tokens = statement.tokens;
      if (tokens.size() < 4 || !tokens[0].is_name() || !tokens[1].is("=") || !tokens[2].is("(")) return;
      const TokenSpan inside = without_brackets(tokens.subspan(2));
      if (find_outside(inside, "if") == inside.size() || find_outside(inside, "(") != inside.size()) return;
      if (stands_in(inside, functions)) grown = functions.emplace(tokens[0].text).second || grown;
    });
  }
  std::set<std::string> names = functions;
  visit_statements(file.statements,
                   [&](const PythonStatement& statement) { add_unpacked(statement.tokens, functions, names); });
  // What the conditions around them at the module's own level ask for: `if _flash_attn_is_installed:`.
  for (bool grown = true; grown;) {
    grown = false;
    const auto visit = [&](const auto& self, const std::vector<PythonStatement>& body) -> void {
      for (const PythonStatement& statement : body) {
        if (statement.begins("def") || statement.begins("class") || statement.begins("async")) continue;
        if (is_condition(statement) && changes_any(statement.body, names)) {
          for (const PythonToken& token : statement.tokens) {
            if (token.is_name()) grown = names.emplace(token.text).second || grown;
          }
        }
        self(self, statement.body);
      }
    };
    visit(visit, file.statements);
  }
  return names;
}

}  // namespace ropewalk
