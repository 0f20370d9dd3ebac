// Tables whose rows are cells of a grid: whether each stands at one, and at the one that its file gives.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// What is known of a grid beside its formulas.
struct KnownOfGrid {
  bool theta = false;  // all but the cells, so that rows which are cells by another theta alone are wrong
  bool order = false;  // of the axes, which columns have as the positions beside the table do
};

// Judges a table by the first of these formulas by which its rows are cells. Says whether there is one; then the task
// has that formula, and `note` tells where the rows are.
bool judge_on_grid(JudgedTable& one, const std::vector<RopeFormula>& formulas, KnownOfGrid known, std::string& note);

}  // namespace ropewalk::rope
