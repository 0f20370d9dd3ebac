// What the reference expects of a launch that a kernel makes for a problem.
#pragma once
#include <string>

#include "lib/family/kernel.h"

namespace ropewalk::compare {

// Adds to the launch what each of its outputs should hold, with the bound by element, computed from what its tensors
// hold at first. Returns why nothing is expected, for a person; empty: expectations were added. Nothing is expected of
// a problem that the kernel or its correct counterpart rejects, nor of outputs of more than `most` elements in all.
std::string expect_answer(const Kernel& kernel, const Problem& problem, Launch& launch, i64 most = i64(1) << 24);

}  // namespace ropewalk::compare
