// What attention kernels ask of a problem.
#pragma once
#include <string>
#include <vector>

#include "lib/problem/attention.h"

namespace ropewalk::kernels {

// What a kernel takes beyond plain attention.
struct AttentionTakes {
  bool lists = true;   // cu_seqlens
  bool pages = false;  // of k and v
  bool splits = false;
  bool lengths = false;       // key_lengths
  bool checks_lists = true;   // looks at the contents of cu_seqlens
  bool checks_tables = true;  // looks at the contents of key_lengths and of the block table
  bool ranks = false;
};

// Why a kernel that takes this may not be launched on the problem, each reason in a sentence of its own; empty: it may.
std::vector<std::string> attention_reasons(const AttentionProblem& problem, const AttentionTakes& takes);

}  // namespace ropewalk::kernels
