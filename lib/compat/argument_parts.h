// What collections of arguments are made of, as expressions: `{**a, "x": 1} | (b if test else {})` of a and b.
#pragma once
#include <functional>

#include "lib/compat/python_node.h"

namespace ropewalk::compat {

// Visits the expressions whose items are among those of the expression's own: of displays, `a | b`, dict(..), a.copy(),
// `x if test else y`, partial(f, ..), and of what `a.update(..)` adds. Tests and plain items are none.
void visit_parts(const PythonNode& node, const std::function<void(const PythonNode&)>& visit);

// Visits what a call unpacks: the a and b of `f(*a, **b)`.
void visit_unpacked(const PythonNode& call, const std::function<void(const PythonNode&)>& visit);

}  // namespace ropewalk::compat
