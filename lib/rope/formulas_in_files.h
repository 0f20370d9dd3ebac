// The formulas of a dump that has no configuration.
#pragma once
#include <string>
#include <vector>

#include "lib/problem/rope_formula.h"
#include "lib/rope/table.h"

namespace ropewalk::rope {

// Each formula that a table or tensor of frequencies shows, once, and a note for each.
struct FormulasInFiles {
  std::vector<RopeFormula> formulas;
  std::vector<std::string> notes;
  bool guessed = false;  // no formula explains any table, and the nearest one stands for it
};
FormulasInFiles formulas_in(const std::vector<FileTables>& files);

// Whether one of the formulas explains the table, but for a few elements.
bool fits_any(const CacheTable& table, const std::vector<RopeFormula>& formulas);

}  // namespace ropewalk::rope
