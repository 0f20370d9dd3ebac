// One object of rope parameters: rope_scaling, rope_parameters, or one layer type's part of it.
#pragma once
#include "lib/base/json.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// Sets the type and its own fields in `formula`, whose lengths and dims are known already. Throws InputError that names
// the field.
void read_rope_parameters(const JsonCursor& parameters, RopeFormula& formula);

// By how much the trained length is stretched, which is the factor where no other one is written; 1 where a length is
// not known.
double stretch(const RopeFormula& formula);

}  // namespace ropewalk::rope
