// One object of rope parameters: rope_scaling, rope_parameters, or one layer type's part of it.
#pragma once
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// Sets the type and its own fields in `formula`, whose lengths and dims are known already. Throws InputError that names
// the field; also of a key that is a known one mistyped.
void read_rope_parameters(const JsonCursor& parameters, RopeFormula& formula);

// Notes the keys that are not known, of an object of parameters or of one with an object for each layer type. Programs
// take no notice of them either.
void add_unknown_keys(const JsonCursor& parameters, std::vector<std::string>& notes);

// By how much the trained length is stretched, which is the factor where no other one is written; 1 where a length is
// not known.
double stretch(const RopeFormula& formula);

}  // namespace ropewalk::rope
