// The program's work: all mutants, each with what became of it.
#pragma once
#include "tests/mutants/options.h"

namespace ropewalk::mutants {

// Prints a line for each mutant and the kill rate of each kernel. Returns 0 where every mutant is found or argued for,
// else 1.
int run(const Options& options);

}  // namespace ropewalk::mutants
