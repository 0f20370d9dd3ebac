// Tables whose rows are the cells of an image, in the places that the family's own program gives them.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"
#include "lib/rope/image_grid.h"

namespace ropewalk::rope {

// A formula with the grid that the configuration's model_type has.
struct ImageFormula {
  RopeFormula formula;
  ImageGrid grid;
};

// Judges a table by the first of these by which its rows stand where they should, or for whose differences there is a
// cause. Says whether there is one; then the task has that formula, and `note` tells where the rows are.
bool judge_image(JudgedTable& one, const std::vector<ImageFormula>& formulas, std::string& note);
// A table at any whole cells, which has the frequencies of other towers.
bool explain_image_axes(JudgedTable& one, const std::vector<ImageFormula>& formulas);

}  // namespace ropewalk::rope
