// The known ways in which an attention problem can be wrong.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lib/generate/space.h"
#include "lib/problem/attention.h"

namespace ropewalk {

// A flaw of attention problems; the functions as in Flaw.
Flaw attention_flaw(const std::string& name, const std::function<bool(AttentionProblem&, Random&)>& breaks,
                    const std::function<bool(const AttentionProblem&)>& is_in);

// Those that every attention kernel must reject, and those of cu_seqlens, which are there where a kernel takes them. A
// problem is good exactly where none of them is in it.
std::vector<Flaw> attention_flaws();
std::vector<Flaw> list_flaws();

}  // namespace ropewalk
