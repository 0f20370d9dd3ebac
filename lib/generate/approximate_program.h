// Random programs of approximate instructions, whose results are compared with the error that PTX states.
#pragma once
#include "lib/generate/approximate_forms.h"
#include "lib/generate/random_program.h"

namespace ropewalk::generate {

// The program of that seed: every approximate instruction in some order, each on operands of its own for each thread:
// ordinary ones, any bits, and the special ones. The launch expects of "out" the mathematical result, computed in
// double precision, within the stated error; of results that PTX bounds nowhere nothing is expected. Of every fourth
// seed the target is sm_90 and bf16 is among the types, else sm_80.
RandomProgram approximate_program(u64 seed);

// One instruction on operands of its whole range: all bits of a 16-bit type, 2^20 of f32.
RandomProgram whole_range_program(const ApproximateForm& form);

}  // namespace ropewalk::generate
