#include "lib/generate/spaces.h"

#include "lib/base/error.h"
#include "lib/generate/attention_space.h"
#include "lib/generate/rotary_space.h"

namespace ropewalk {

ProblemSpace space_of(const KernelFamily& family) {
  if (family.problem_kind == "rotary") return rotary_space(family);
  if (family.problem_kind == "attention") return attention_space(family);
  throw InternalError("no space of problems of the kind " + family.problem_kind);
}

}  // namespace ropewalk
