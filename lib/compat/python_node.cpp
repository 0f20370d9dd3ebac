#include "lib/compat/python_node.h"

#include <algorithm>
#include <map>

namespace ropewalk::compat {
namespace {

struct Operator {
  const char* text;
  int binds;  // how tightly
};

const std::map<std::string_view, Operator>& operators() {
  static const std::map<std::string_view, Operator> all = {
      {"Or", {" or ", 1}},        {"And", {" and ", 2}},    {"Not", {"not ", 3}},       {"Lt", {" < ", 4}},
      {"LtE", {" <= ", 4}},       {"Gt", {" > ", 4}},       {"GtE", {" >= ", 4}},       {"Eq", {" == ", 4}},
      {"NotEq", {" != ", 4}},     {"In", {" in ", 4}},      {"NotIn", {" not in ", 4}}, {"Is", {" is ", 4}},
      {"IsNot", {" is not ", 4}}, {"BitOr", {" | ", 5}},    {"BitXor", {" ^ ", 6}},     {"BitAnd", {" & ", 7}},
      {"LShift", {" << ", 8}},    {"RShift", {" >> ", 8}},  {"Add", {" + ", 9}},        {"Sub", {" - ", 9}},
      {"Mult", {" * ", 10}},      {"MatMult", {" @ ", 10}}, {"Div", {" / ", 10}},       {"FloorDiv", {" // ", 10}},
      {"Mod", {" % ", 10}},       {"UAdd", {"+", 11}},      {"USub", {"-", 11}},        {"Invert", {"~", 11}},
      {"Pow", {" ** ", 12}},
  };
  return all;
}

Operator operator_of(std::string_view word) {
  const auto found = operators().find(word.substr(0, word.find(' ')));
  return found == operators().end() ? Operator{" ? ", 0} : found->second;
}

constexpr int atom = 20;

int binding_of(const PythonNode& node) {
  if (node.is("IfExp") || node.is("Lambda") || node.is("NamedExpr") || node.is("Await")) return 0;
  const bool operates = node.is("BoolOp") || node.is("BinOp") || node.is("UnaryOp") || node.is("Compare");
  return operates ? operator_of(node.word).binds : atom;
}

std::string in_brackets(const PythonNode& node, int needed) {
  return binding_of(node) < needed ? "(" + node.text + ")" : node.text;
}

std::string joined(const std::vector<PythonNode>& nodes, const char* between = ", ") {
  std::string text;
  for (const PythonNode& node : nodes) text += (&node == nodes.data() ? "" : between) + node.text;
  return text;
}

std::string quoted(const std::string& value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text + "'";
}

std::string call_text(const PythonNode& call) {
  std::vector<PythonNode> arguments = call.all("args");
  arguments.insert(arguments.end(), call.all("keywords").begin(), call.all("keywords").end());
  return in_brackets(call.one("func"), atom) + "(" + joined(arguments) + ")";
}

std::string comparison_text(const PythonNode& node) {
  std::string text = in_brackets(node.one("left"), 5), words = node.word;
  for (const PythonNode& operand : node.all("comparators")) {
    text += operator_of(words).text + in_brackets(operand, 5);
    words.erase(0, std::min(words.find(' '), words.size() - 1) + 1);
  }
  return text;
}

std::string dict_text(const PythonNode& node) {
  std::string text;
  for (size_t n = 0; n < node.all("keys").size(); ++n) {
    const PythonNode& key = node.all("keys")[n];
    text += (n ? ", " : "") + (key.is("Rest") ? "**" : key.text + ": ") + node.all("values")[n].text;
  }
  return "{" + text + "}";
}

std::string bool_text(const PythonNode& node) {
  const Operator word = operator_of(node.word);
  std::string text;
  for (const PythonNode& value : node.all("values")) {
    text += (text.empty() ? "" : word.text) + in_brackets(value, word.binds + 1);
  }
  return text;
}

// "a {b:c}" of f"a {b:c}"
std::string pieces_text(const PythonNode& node) {
  std::string text;
  for (const PythonNode& piece : node.all("values")) {
    const PythonNode& format = piece.one("format_spec");
    text +=
        piece.is("Text") ? piece.word : "{" + piece.one("value").text + (format ? ":" + pieces_text(format) : "") + "}";
  }
  return text;
}

// "f(x) for x in list if x"
std::string comprehension_text(const PythonNode& node) {
  std::string text = node.one("key") ? node.one("key").text + ": " + node.one("value").text : node.one("elt").text;
  for (const PythonNode& loop : node.all("generators")) {
    text += " for " + loop.one("target").text + " in " + in_brackets(loop.one("iter"), 1);
    for (const PythonNode& test : loop.all("ifs")) text += " if " + in_brackets(test, 1);
  }
  return node.is("ListComp") ? "[" + text + "]" : node.is("GeneratorExp") ? "(" + text + ")" : "{" + text + "}";
}

// "kind(a, b)": the same for what is the same.
std::string plain_text(const PythonNode& node) {
  std::string text = node.kind + (node.word.empty() ? "" : " " + node.word) + "(";
  for (const auto& [field, nodes] : node.fields) {
    if (!is_block(field)) text += (text.back() == '(' ? "" : "; ") + joined(nodes);
  }
  return text + ")";
}

std::string statement_text(const PythonNode& node) {
  if (node.is("Expr")) return node.one("value").text;
  if (node.is("Return")) return "return " + node.one("value").text;
  if (node.is("Assign")) return joined(node.all("targets"), " = ") + " = " + node.one("value").text;
  if (node.is("AugAssign")) {
    std::string sign = operator_of(node.word).text;
    std::erase(sign, ' ');
    return node.one("target").text + " " + sign + "= " + node.one("value").text;
  }
  if (node.is("If") || node.is("While")) return (node.is("If") ? "if " : "while ") + node.one("test").text;
  return plain_text(node);
}

std::string expression_text(const PythonNode& node) {
  if (node.is("Name") || node.is("Number") || node.is("Constant")) return node.word;
  if (node.is("Text")) return quoted(node.word);
  if (node.is("Attribute")) return in_brackets(node.one("value"), atom) + "." + node.word;
  if (node.is("Call")) return call_text(node);
  if (node.is("keyword")) return (node.word.empty() ? "**" : node.word + "=") + node.one("value").text;
  if (node.is("Starred")) return "*" + node.one("value").text;
  if (node.is("Subscript")) return in_brackets(node.one("value"), atom) + "[" + node.one("slice").text + "]";
  if (node.is("Slice")) {
    const std::string step = node.one("step") ? ":" + node.one("step").text : "";
    return node.one("lower").text + ":" + node.one("upper").text + step;
  }
  if (node.is("Tuple")) return "(" + joined(node.all("elts")) + (node.all("elts").size() == 1 ? ",)" : ")");
  if (node.is("List")) return "[" + joined(node.all("elts")) + "]";
  if (node.is("Set")) return "{" + joined(node.all("elts")) + "}";
  if (node.is("Dict")) return dict_text(node);
  if (node.is_comprehension()) return comprehension_text(node);
  if (node.is("NamedExpr")) return node.one("target").text + " := " + node.one("value").text;
  if (node.is("Await")) return "await " + in_brackets(node.one("value"), atom);
  if (node.is("JoinedStr")) return "f'" + pieces_text(node) + "'";
  if (node.is("BoolOp")) return bool_text(node);
  if (node.is("Compare")) return comparison_text(node);
  const Operator word = operator_of(node.word);
  if (node.is("UnaryOp")) return word.text + in_brackets(node.one("operand"), word.binds);
  if (node.is("BinOp")) {
    return in_brackets(node.one("left"), word.binds) + word.text + in_brackets(node.one("right"), word.binds + 1);
  }
  if (node.is("IfExp")) {
    return in_brackets(node.one("body"), 1) + " if " + in_brackets(node.one("test"), 1) + " else " +
           node.one("orelse").text;
  }
  if (node.is("Lambda")) return "lambda " + joined(node.all("parameters")) + ": " + node.one("body").text;
  if (node.one("default")) return node.word + "=" + node.one("default").text;
  return statement_text(node);
}

}  // namespace

bool is_block(std::string_view field) {
  return field == "body" || field == "orelse" || field == "finalbody" || field == "handlers" || field == "cases";
}

const std::vector<PythonNode>& PythonNode::all(std::string_view field) const {
  static const std::vector<PythonNode> none;
  for (const auto& [name, nodes] : fields) {
    if (name == field) return nodes;
  }
  return none;
}

const PythonNode& PythonNode::one(std::string_view field) const {
  static const PythonNode none;
  const std::vector<PythonNode>& nodes = all(field);
  return nodes.empty() ? none : nodes.front();
}

std::string dotted_name(const PythonNode& node) {
  if (node.is("Name")) return node.word;
  if (!node.is("Attribute")) return "";
  const std::string front = dotted_name(node.one("value"));
  return front.empty() ? "" : front + "." + node.word;
}

std::set<std::string> own_names(const PythonNode& scope) {
  std::set<std::string> names;
  if (!scope.is("Lambda") && !scope.is_comprehension()) return names;
  for (const PythonNode& one : scope.all("parameters")) names.insert(one.word);
  for (const PythonNode& loop : scope.all("generators")) {
    visit_nodes(loop.one("target"), [&](const PythonNode& one) {
      if (one.is("Name")) names.insert(one.word);
    });
  }
  return names;
}

void write_text(PythonNode& node) { node.text = expression_text(node); }

}  // namespace ropewalk::compat
