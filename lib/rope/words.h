// Formulas in words.
#pragma once
#include <string>

#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// "llama3 rope: theta 500000, 64 pairs, factor 8 (low 1, high 4, original length 8192)".
std::string in_words(const RopeFormula& formula);

}  // namespace ropewalk::rope
