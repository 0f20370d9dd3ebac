#include "lib/compat/dispatch.h"

#include <algorithm>
#include <set>

namespace ropewalk::compat {
namespace {

bool is_display(const PythonNode& node) { return node.is("Dict") || node.is("List") || node.is("Tuple"); }

// Tables of a file: what is in them, and how they are looked up.
class Tables {
 public:
  Tables(const PythonFile& file, const VersionTests& tests) : tests_(tests) {
    visit_statements(file.statements, [&](const PythonNode& one) {
      if (one.is_function()) makers_[one.word] = &one;
    });
    for (const PythonNode& statement : file.statements)
      visit_nodes(statement, [&](const PythonNode& one) { count(one); });
    visit_statements(file.statements, [&](const PythonNode& one) { take(one); });
    for (const PythonNode& statement : file.statements)
      visit_nodes(statement, [&](const PythonNode& one) { look(one); });
  }

  std::map<std::string, std::string> chosen() const {
    std::map<std::string, std::string> all;
    for (const auto& [function, table] : tables_of_) {
      const auto choice = choices_.find(table);
      const auto named = named_.find(function), used = named_.find(table);
      const u64 mentions = named == named_.end() ? 0 : named->second, uses = used == named_.end() ? 0 : used->second;
      const bool is_alone = mentions == listed_.at(function);
      const auto accounted = accounted_.find(table);
      const bool is_known = uses == 0 || (accounted != accounted_.end() && accounted->second == uses);
      if (choice != choices_.end() && is_alone && is_known) all[function] = choice->second;
    }
    return all;
  }

 private:
  void count(const PythonNode& node) {
    if (node.is("Name")) ++named_[node.word];
  }

  // The functions in a display, of a table or of one that is looked up in place.
  void list(const std::string& table, const PythonNode& display) {
    visit_nodes(display, [&](const PythonNode& one) {
      if (!one.is("Name") || !makers_.count(one.word)) return;
      tables_of_[one.word] = table;
      ++listed_[one.word];
    });
  }

  void take(const PythonNode& statement) {
    const PythonNode &target = statement.one("targets"), &value = statement.one("value");
    if (target.is("Name") && is_display(value)) {
      ++accounted_[target.word];
      list(target.word, value);
    } else if (target.is("Name") && value.is("Call") && value.one("func").word == "dict" && value.all("args").empty()) {
      ++accounted_[target.word];
    }
    const std::string stored_in = store_of(statement);
    if (!stored_in.empty()) ++accounted_[stored_in];
    if (!statement.is_function()) return;
    for (const PythonNode& decorator : statement.all("decorator_list")) {
      const auto maker = makers_.find((decorator.is("Call") ? decorator.one("func") : decorator).word);
      if (maker == makers_.end()) continue;
      visit_statements(maker->second->all("body"), [&](const PythonNode& one) {
        if (const std::string table = store_of(one); !table.empty()) tables_of_[statement.word] = table;
      });
      listed_[statement.word];
    }
  }

  // TABLE[key] = function, TABLE.append(function)
  static std::string store_of(const PythonNode& statement) {
    const PythonNode &target = statement.one("targets"), &callee = statement.one("value").one("func");
    if (target.is("Subscript") && target.one("value").is("Name")) return target.one("value").word;
    const bool appends = callee.word == "append" || callee.word == "setdefault";
    return statement.is("Expr") && appends && callee.one("value").is("Name") ? callee.one("value").word : "";
  }

  void look(const PythonNode& node) {
    if (node.is("Subscript")) choose(node.one("value"), node.one("slice"), node);
    const PythonNode& callee = node.one("func");
    if (node.is("Call") && callee.word == "get") choose(callee.one("value"), node.one("args"), node);
    if (!node.is_comprehension()) return;
    for (const PythonNode& loop : node.all("generators")) {
      for (const PythonNode& test : loop.all("ifs")) choose(loop.one("iter"), test, test);
    }
  }

  void choose(const PythonNode& table, const PythonNode& key, const PythonNode& whole) {
    if (!key || !tests_.is_one(key)) return;
    const std::string name = is_display(table) ? table.text : table.word;
    if (is_display(table)) list(name, table);
    if (table.is("Name")) ++accounted_[name];
    choices_[name] = whole.text;
  }

  const VersionTests& tests_;
  std::map<std::string, const PythonNode*> makers_;  // functions
  std::map<std::string, u64> named_;                 // how often
  std::map<std::string, std::string> tables_of_;     // by function
  std::map<std::string, u64> listed_;                // how often a function's name stands in a table
  std::map<std::string, u64> accounted_;             // how often a table is made, stored in and looked up by version
  std::map<std::string, std::string> choices_;       // by table
};

}  // namespace

std::map<std::string, std::string> chosen_by_version(const PythonFile& file, const VersionTests& tests) {
  return Tables(file, tests).chosen();
}

}  // namespace ropewalk::compat
