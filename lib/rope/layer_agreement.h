// Tables of one module in several layers, compared with each other where no configuration says what is right.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// A name without the numbers of layers: the same for one module in all of them.
std::string without_digits(std::string name);

// Judges tables that are right by a formula of their own by the one that nearly all other layers have. Where more than
// one in eight has another one, models may be meant so (layers of two types take turns): then it is a note.
std::vector<std::string> compare_layers(std::vector<JudgedTable>& judged);

// Wrong tables, or inverse frequencies, of two types of layers of which each is right by the formula of the other one:
// they are exchanged, whatever else may lead from one formula to the other.
void explain_exchanged_layers(std::vector<JudgedTable>& judged);

}  // namespace ropewalk::rope
