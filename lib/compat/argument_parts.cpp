#include "lib/compat/argument_parts.h"

namespace ropewalk::compat {

void visit_unpacked(const PythonNode& call, const std::function<void(const PythonNode&)>& visit) {
  for (const PythonNode& one : call.all("args")) {
    if (one.is("Starred")) visit(one.one("value"));
  }
  for (const PythonNode& one : call.all("keywords")) {
    if (one.word.empty()) visit(one.one("value"));
  }
}

void visit_parts(const PythonNode& node, const std::function<void(const PythonNode&)>& visit) {
  if (node.is("IfExp")) {
    visit(node.one("body"));
    visit(node.one("orelse"));
  } else if (node.is("BoolOp")) {
    for (const PythonNode& one : node.all("values")) visit(one);
  } else if (node.is("BinOp")) {
    visit(node.one("left"));
    visit(node.one("right"));
  } else if (node.is("NamedExpr")) {
    visit(node.one("value"));
  } else if (node.is("Dict")) {
    for (size_t n = 0; n < node.all("keys").size(); ++n) {
      if (node.all("keys")[n].is("Rest")) visit(node.all("values")[n]);
    }
  } else if (node.is("Tuple") || node.is("List")) {
    for (const PythonNode& one : node.all("elts")) {
      if (one.is("Starred")) visit(one.one("value"));
    }
  } else if (node.is("DictComp")) {
    const PythonNode& items = node.one("generators").one("iter");
    if (items.is("Call")) visit(items.one("func").one("value"));
  } else if (node.is("Call")) {
    const PythonNode& callee = node.one("func");
    const bool copies = callee.is("Attribute") && callee.word == "copy";
    const bool takes_whole = callee.word == "dict" || callee.word == "list" || callee.word == "tuple" ||
                             callee.word == "update" || callee.word == "extend" || callee.word == "partial" ||
                             callee.word == "copy" || callee.word == "deepcopy";
    if (copies) visit(callee.one("value"));
    for (const PythonNode& one : node.all("args")) {
      if (takes_whole && !one.is("Starred")) visit(one);
    }
    visit_unpacked(node, visit);
  }
}

}  // namespace ropewalk::compat
