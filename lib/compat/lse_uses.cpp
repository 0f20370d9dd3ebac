#include "lib/compat/lse_uses.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "lib/compat/constant.h"
#include "lib/compat/for_now.h"
#include "lib/compat/python_errors.h"
#include "lib/compat/relevant.h"

namespace ropewalk::compat {

bool names_lse(const PythonNode& node) {
  if (!node.is("Name") && !node.is("Attribute")) return false;
  const size_t at = node.word.find("lse");
  return at != std::string::npos && (at == 0 || !std::isalpha(static_cast<unsigned char>(node.word[at - 1])));
}

namespace {

bool has_lse(const PythonNode& node) {
  bool found = false;
  visit_nodes(node, [&](const PythonNode& one) { found = found || names_lse(one); });
  return found;
}

// lse.shape and lse.size()
bool is_shape(const PythonNode& node) {
  if (node.is("Attribute")) return node.word == "shape" && names_lse(node.one("value"));
  const PythonNode& callee = node.one("func");
  return node.is("Call") && callee.word == "size" && names_lse(callee.one("value")) && node.all("args").empty();
}

// Whether a call gives a tensor of another number of dimensions, by its words.
bool reshapes(const PythonNode& value) {
  bool found = false;
  visit_nodes(value, [&](const PythonNode& node) {
    const std::string& called = node.one("func").word;
    for (const char* part : {"squeeze", "view", "reshape", "flatten", "stack", "pad", "rearrange", "expand"}) {
      found = found || (node.is("Call") && called.find(part) != std::string::npos);
    }
  });
  return found;
}

class LseUses {
 public:
  LseUses(const PythonFile& file, const std::set<u64>& others, size_t dimensions,
          const std::map<const PythonNode*, std::string>& reached)
      : file_(file), others_(others), dimensions_(i64(dimensions)), reached_(reached) {
    visit_statements(file.statements, [&](const PythonNode& one) {
      if (one.is_function()) functions_[one.word].push_back(&one);
      if (one.is("ClassDef")) classes_.push_back(&one);
    });
    for (const PythonNode& one : file.statements) {
      visit_nodes(one, [&](const PythonNode& node) { is_asked_ = is_asked_ || dimensions_of(node).has_value(); });
    }
  }

  LseUse first(u64 line) {
    const auto has_line = [&](const PythonNode& one) { return one.line <= line && line <= one.last_line; };
    const PythonNode* around = nullptr;
    for (const auto& [name, all] : functions_) {
      for (const PythonNode* one : all) {
        if (has_line(*one) && (!around || one->line > around->line)) around = one;
      }
    }
    if (!around) {
      block(file_.statements);
      return found_.statement ? found_ : maybe_;
    }
    take(*around, "");
    for (const PythonNode* one : classes_) {
      if (!has_line(*one)) continue;
      for (const PythonNode& method : one->all("body")) {
        if (method.is_function()) take(method, "");
      }
    }
    take_callers();
    for (size_t n = 0; n < rest_.size(); ++n) {
      changed_.clear();
      const auto [function, unclear] = rest_[n];
      unclear_around_ = unclear;
      block(function->all("body"));
    }
    for (const LseUse& one : {found_, maybe_}) {
      if (one.statement && (one.fails || !is_known_)) return one;
    }
    return is_known_ ? LseUse{} : first_apart();
  }

 private:
  // In a function that is not called from those that are taken: what these give it is known.
  LseUse first_apart() {
    unclear_around_.clear();
    std::set<std::string> called;
    for (const auto& [function, unclear] : taken_) {
      visit_nodes(*function, [&](const PythonNode& node) { called.insert(node.one("func").word); });
    }
    for (const auto& [name, all] : functions_) {
      for (const PythonNode* one : called.count(name) ? std::vector<const PythonNode*>{} : all) {
        changed_.clear();
        if (!taken_.count(one)) block(one->all("body"));
      }
    }
    found_.apart = true;
    return found_;
  }
  void take(const PythonNode& function, const std::string& unclear) {
    const auto [known, is_new] = taken_.try_emplace(&function, unclear);
    if (!is_new && (known->second.empty() || !unclear.empty())) return;
    known->second = unclear;
    rest_.emplace_back(&function, unclear);
  }
  // Functions that take log-sum-exp out of a call of one that is taken.
  void take_callers() {
    for (bool grown = true; grown;) {
      const size_t before = taken_.size();
      for (const auto& [name, all] : functions_) {
        for (const PythonNode* one : all) {
          visit_statements(one->all("body"), [&](const PythonNode& statement) {
            const auto known = functions_.find(statement.one("value").one("func").word);
            const bool calls = known != functions_.end() && has_lse(statement.one("targets"));
            if (calls && std::ranges::any_of(known->second, [&](const auto* f) { return taken_.count(f) > 0; })) {
              take(*one, "");
            }
          });
        }
      }
      grown = taken_.size() > before;
    }
  }

  // What `lse.dim()`, `lse.ndim` and `len(lse.shape)` give; nullopt: it is none of them.
  std::optional<i64> dimensions_of(const PythonNode& node) const {
    const PythonNode& callee = node.one("func");
    const bool asks =
        (node.is("Attribute") && node.word == "ndim" && names_lse(node.one("value"))) ||
        (node.is("Call") && (callee.word == "dim" || callee.word == "ndimension") && names_lse(callee.one("value"))) ||
        (node.is("Call") && callee.text == "len" && is_shape(node.one("args")));
    if (asks) return dimensions_;
    const auto given = node.is("Name") ? numbers_.find(node.word) : numbers_.end();
    return given == numbers_.end() ? std::nullopt : std::optional(given->second);
  }
  // Of a test of the number of dimensions; nullopt: it asks for something else as well.
  std::optional<bool> truth_of(const PythonNode& test) const {
    if (test.is("UnaryOp") && test.word == "Not") {
      const std::optional<bool> truth = truth_of(test.one("operand"));
      return truth ? std::optional(!*truth) : std::nullopt;
    }
    if (test.is("BoolOp")) {
      bool known = true;
      for (const PythonNode& part : test.all("values")) {
        const std::optional<bool> truth = truth_of(part);
        if (truth == (test.word == "Or")) return truth;
        known = known && truth;
      }
      return known ? std::optional(test.word == "And") : std::nullopt;
    }
    const auto given = test.is("Name") ? truths_.find(test.word) : truths_.end();
    if (given != truths_.end()) return given->second;
    if (!test.is("Compare") || test.all("comparators").size() != 1) return std::nullopt;
    const auto value = [&](const PythonNode& node) {
      const std::optional<i64> number = dimensions_of(node);
      return number ? number : written_number(node);
    };
    const auto left = value(test.one("left")), right = value(test.one("comparators"));
    const bool asks = dimensions_of(test.one("left")) || dimensions_of(test.one("comparators"));
    if (!asks || !left || !right) return std::nullopt;
    return compare(PythonConstant::of_number(*left), test.word, PythonConstant::of_number(*right));
  }

  // Whether a way comes to the end of the block.
  bool block(const std::vector<PythonNode>& body) {
    return std::ranges::all_of(body, [&](const PythonNode& one) { return statement(one); });
  }
  bool statement(const PythonNode& one) {
    if (one.is_function() || one.is("ClassDef")) return true;
    const auto known = reached_.find(&one);
    is_reached_ = known != reached_.end();
    if (is_reached_) unclear_ = known->second.empty() ? unclear_around_ : known->second;
    if (one.is("If")) {
      look(one.one("test"), one);
      const std::optional<bool> truth = truth_of(one.one("test"));
      if (truth) return block(one.all(*truth ? "body" : "orelse"));
      const std::set<std::string> before = changed_;
      const bool yes = block(one.all("body"));
      std::set<std::string> changed = std::exchange(changed_, before);
      const bool no = block(one.all("orelse"));
      changed_.merge(changed);
      return yes || no;
    }
    if (one.is("Try") || one.is("TryStar")) return attempt(one);
    for (const auto& [field, nodes] : one.fields) {
      const bool is_unpacked = field == "value" && unpacks_shape(one);
      if (is_block(field) || is_unpacked) continue;
      for (const PythonNode& node : nodes) look(node, one);
    }
    give(one);
    if (one.is("Assert")) return truth_of(one.one("test")) != false;
    if (one.is("With") || one.is("AsyncWith")) return block(one.all("body"));
    for (const char* field : {"body", "orelse"}) block(one.all(field));
    return !one.is("Return") && !one.is("Raise") && !one.is("Continue") && !one.is("Break");
  }
  bool attempt(const PythonNode& one) {
    const bool catches_it = std::ranges::any_of(one.all("handlers"), [](const PythonNode& handler) {
      return catches(handler, "ValueError") || catches(handler, "IndexError");
    });
    bool ends = false;
    {
      const ForNow guarded(is_guarded_, is_guarded_ || catches_it);
      ends = block(one.all("body")) && block(one.all("orelse"));
    }
    for (const PythonNode& handler : one.all("handlers")) ends = block(handler.all("body")) || ends;
    return block(one.all("finalbody")) && ends;
  }
  static bool unpacks_shape(const PythonNode& one) {
    return one.is("Assign") && is_shape(one.one("value")) && !one.one("targets").all("elts").empty();
  }
  // What an assignment makes of log-sum-exp and of the number of its dimensions.
  void give(const PythonNode& one) {
    const PythonNode &target = one.one("targets"), &value = one.one("value");
    if (!one.is("Assign")) return;
    if (unpacks_shape(one)) unpack(one);
    if (target.is("Name")) {
      truths_.erase(target.word);
      numbers_.erase(target.word);
      if (const auto truth = truth_of(value)) truths_[target.word] = *truth;
      if (const auto number = dimensions_of(value)) numbers_[target.word] = *number;
    }
    const bool is_other = comes_from_other(one);
    visit_nodes(target, [&](const PythonNode& node) {
      if (is_other || (names_lse(node) && reshapes(value))) {
        changed_.insert(node.word);
      } else if (node.is("Name") && value.is("Call")) {
        changed_.erase(node.word);
      }
    });
  }
  // Whether it takes something out of a call that returns log-sum-exp of another kind: `outs = dense(..)`, `outs[5]`.
  bool comes_from_other(const PythonNode& one) const {
    const auto line = others_.lower_bound(one.line);
    if (line != others_.end() && *line <= one.last_line) return true;
    const PythonNode& whole = one.one("value").is("Subscript") ? one.one("value").one("value") : one.one("value");
    return whole.is("Name") && changed_.count(whole.word) > 0;
  }
  void unpack(const PythonNode& one) {
    const std::vector<PythonNode>& parts = one.one("targets").all("elts");
    const bool has_rest = std::ranges::any_of(parts, [](const PythonNode& part) { return part.is("Starred"); });
    const i64 wanted = i64(parts.size()) - has_rest;
    const bool fails = has_rest ? wanted > dimensions_ : wanted != dimensions_;
    if (fails) use(one.one("value"), one, true);
    if (!fails && !has_rest && is_reached_) is_known_ = true;
  }

  void look(const PythonNode& node, const PythonNode& of) {
    if (node.is("IfExp")) {
      look(node.one("test"), of);
      const std::optional<bool> truth = truth_of(node.one("test"));
      if (truth != false) look(node.one("body"), of);
      if (truth != true) look(node.one("orelse"), of);
      return;
    }
    if (node.is("BoolOp")) {
      for (const PythonNode& part : node.all("values")) {
        look(part, of);
        if (truth_of(part) == (node.word == "Or")) return;
      }
      return;
    }
    if (dimensions_of(node)) return;
    if (node.is("Subscript")) look_at_subscript(node, of);
    const PythonNode& callee = node.one("func");
    if (node.is("Call")) {
      const auto known = functions_.find(callee.word);
      const auto hands = [](const PythonNode& one) { return has_lse(one); };
      const bool given =
          std::ranges::any_of(node.all("args"), hands) || std::ranges::any_of(node.all("keywords"), hands);
      if (known != functions_.end() && given && is_reached_) {
        for (const PythonNode* one : known->second) take(*one, unclear_);
      }
      const bool at_one = callee.word == "size" && node.all("args").size() == 1;
      if (at_one) look_at_dimension(callee, node.one("args"), of);
    }
    if (node.is("Attribute") && is_shape(node)) use(node, of, false);
    for (const auto& [field, nodes] : node.fields) {
      for (const PythonNode& inner : nodes) look(inner, of);
    }
  }
  // lse.size(2), and lse.shape[2], whose `owner` has the tensor as its value.
  void look_at_dimension(const PythonNode& owner, const PythonNode& index, const PythonNode& of) {
    const std::optional<i64> at = names_lse(owner.one("value")) ? written_number(index) : std::nullopt;
    if (at && (*at >= dimensions_ || *at < -dimensions_)) use(owner, of, true);
  }
  void look_at_subscript(const PythonNode& node, const PythonNode& of) {
    const PythonNode &whole = node.one("value"), &at = node.one("slice");
    if (whole.is("Attribute") && whole.word == "shape") look_at_dimension(whole, at, of);
    if (!names_lse(whole) || !at.is("Tuple")) return;
    i64 indices = 0;
    for (const PythonNode& one : at.all("elts")) {
      // A mask of several dimensions counts for more, a list of tensors for one.
      indices += one.is("Slice") || one.is("Number") || one.is("UnaryOp") || one.is("Name") || one.is("BinOp");
    }
    PythonNode tensor{"Attribute"};
    tensor.fields.emplace_back("value", std::vector<PythonNode>{whole});
    if (indices > dimensions_) use(tensor, of, true);
  }
  // `owner` has the tensor as its value.
  void use(const PythonNode& owner, const PythonNode& of, bool fails) {
    const PythonNode& tensor = owner.is("Call") ? owner.one("func").one("value") : owner.one("value");
    const bool counts = is_reached_ && !is_guarded_ && !changed_.count(tensor.word) && (fails || !is_asked_);
    LseUse& known = unclear_.empty() ? found_ : maybe_;
    if (counts && (!known.statement || (!known.fails && fails))) known = {&of, unclear_, false, fails};
  }

  const PythonFile& file_;
  const std::set<u64>& others_;
  const i64 dimensions_;
  const std::map<const PythonNode*, std::string>& reached_;
  std::map<std::string, std::vector<const PythonNode*>> functions_;
  std::vector<const PythonNode*> classes_;
  // Functions to be looked at, and those that were; with the version test that decides whether one gets log-sum-exp.
  std::vector<std::pair<const PythonNode*, std::string>> rest_;
  std::map<const PythonNode*, std::string> taken_;
  std::map<std::string, bool> truths_;  // of names: `packed = lse.dim() == 2`
  std::map<std::string, i64> numbers_;  // of names: `dims = lse.dim()`
  std::set<std::string> changed_;       // names that have another number of dimensions now, or other results
  bool is_asked_ = false;               // the file asks for the number of dimensions
  bool is_known_ = false;               // the caller takes it for what it is: `heads, rows = lse.shape`
  bool is_guarded_ = false, is_reached_ = false;
  std::string unclear_, unclear_around_;
  LseUse found_, maybe_;
};

}  // namespace

LseUse first_use_of_lse(const PythonFile& file, u64 line, const std::set<u64>& others, size_t dimensions,
                        const std::map<const PythonNode*, std::string>& reached) {
  return LseUses(file, others, dimensions, reached).first(line);
}

}  // namespace ropewalk::compat
