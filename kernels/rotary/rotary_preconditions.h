// What the preconditions of the rotary kernels reject, and the message for each.
#pragma once
#include <string>
#include <vector>

#include "lib/problem/rotary.h"

namespace ropewalk::kernels {

// The preconditions that a faulty family may lack.
enum class RotaryPrecondition : u8 {
  Width,      // rotary_dim <= head_dim
  EvenWidth,  // rotary_dim even
  Rows,       // offset + tokens <= rows of the cache
  Offsets,    // no negative offset
  Sequences,  // cu_seqlens start at 0, do not decrease and end within the rows
  Batches,    // k has as many batches as q
  Positions   // 0 <= position < rows of the cache
};

using RotaryPreconditions = std::vector<RotaryPrecondition>;

// What a family of rotary kernels takes.
struct RotaryForm {
  bool keys = false;                               // q and k with a positions array, in place
  bool cache_only = false;                         // makes cos and sin and reads no x
  std::string name;                                // of the family, for messages
  bool few_dtypes = false;                         // has entries for f32 and bf16 with an f32 cache alone
  RotaryRounding rounding = RotaryRounding::Once;  // that it promises
};

// Why no kernel of this form can be launched on the problem: sizes that are zero or too large, dtypes without a kernel,
// arrays of the wrong length, fields that belong to another family.
std::vector<std::string> form_reasons(const RotaryProblem& problem, const RotaryForm& form);
// What the preconditions refuse. Call only where there are no form_reasons.
std::vector<std::string> precondition_reasons(const RotaryProblem& problem, const RotaryForm& form,
                                              const RotaryPreconditions& preconditions);
// The preconditions that a correct family of this form has.
RotaryPreconditions all_preconditions(const RotaryForm& form);

}  // namespace ropewalk::kernels
