// Attention in several parts of the keys, and parts put together, in double precision.
#pragma once
#include "lib/problem/attention.h"
#include "reference/attention.h"

namespace ropewalk::reference {

// How a kernel may misread the parts. The default reads them as they are meant.
struct PartsHypothesis {
  std::function<AttentionProblem::Range(i64 split, i64 keys)> part_of;  // empty: the problem's
  bool with_sink = false;                                               // each part counts the sink
};

// out [splits, B, Tq, H, Dv] and lse [splits, B, H, Tq] of a problem without cu_seqlens, as attention_forward has them,
// but each part over its keys alone. A part that a query sees nothing of has out = 0 and lse = -inf. Parts are in f32,
// whatever the problem's dtype, and know of no sink.
void attention_parts(const AttentionProblem& problem, const AttentionInputs& inputs, const PartsHypothesis& hypothesis,
                     ExpectedValues out, ExpectedValues lse);

// How a merge may misread its parts. The default reads them as they are meant.
struct MergeHypothesis {
  enum class Weights : u8 {
    OfLse,      // exp(lse_p - lse)
    Equal,      // of all parts alike
    OfBaseTwo,  // 2^(lse_p - lse)
    Ones,       // 1: parts are added up
  };
  Weights weights = Weights::OfLse;
  bool counts_empty = false;  // a part with lse = -inf is taken for one with lse = 0
  bool none_is_nan = false;   // where all parts are empty: -inf - -inf
};

// out [B, Tq, H, Dv] and lse [B, H, Tq] from parts in the shapes above:
//
//   lse = log(sum_p exp(lse_p) + exp(sink)),   out = sum_p exp(lse_p - lse) out_p
//
// Where every lse_p is -inf and there is no sink, out = 0 and lse = -inf; such a part's out counts nothing. The bound
// is that of attention (attention_bound.h) with lse_p for scores, which have no error, and out_p for values.
void attention_merge(const AttentionProblem& problem, const double* out_parts, const double* lse_parts,
                     const double* sinks, const MergeHypothesis& hypothesis, ExpectedValues out, ExpectedValues lse);

}  // namespace ropewalk::reference
