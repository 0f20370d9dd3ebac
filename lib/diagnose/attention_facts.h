// What a scene says of attention.
#pragma once
#include "lib/diagnose/hypothesis.h"
#include "lib/problem/attention.h"

namespace ropewalk::diagnose {

// Null where the scene's problem is not known or of another family.
const AttentionProblem* attention_problem(const Scene& scene);

// Whether it is k, v or the block table of a problem with pages or key lengths.
bool is_of_cache(const LaunchTensor& tensor, const Scene& scene);
// False where cu_seqlens of an attention problem do not begin at 0, decrease, or end past the rows.
bool has_sound_lists(const Scene& scene);

}  // namespace ropewalk::diagnose
