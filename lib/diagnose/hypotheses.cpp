#include "lib/diagnose/barriers.h"
#include "lib/diagnose/copies.h"
#include "lib/diagnose/dead_tokens.h"
#include "lib/diagnose/extents.h"
#include "lib/diagnose/fences.h"
#include "lib/diagnose/hypothesis.h"
#include "lib/diagnose/masks.h"
#include "lib/diagnose/overflow.h"
#include "lib/diagnose/overlaps.h"
#include "lib/diagnose/positions.h"
#include "lib/diagnose/skipped_rows.h"
#include "lib/diagnose/strides.h"
#include "lib/diagnose/tables.h"
#include "lib/diagnose/tail_columns.h"
#include "lib/diagnose/updates.h"
#include "lib/diagnose/widths.h"

namespace ropewalk::diagnose {

const std::vector<Hypothesis>& exact_hypotheses() {
  static const std::vector<Hypothesis> all{
      missing_barrier,   missing_atomic,        unset_accumulator,       overlapping_stores, missing_copy_wait,
      copy_too_early,    missing_fence,         tokens_behind_sequences, wrong_head_count,   unequal_batches,
      wrong_dtype_width, wrong_sin_offset,      model_width_of_rows,     vector_too_wide,    pair_distance,
      tail_touched,      position_not_restarted};
  return all;
}

const std::vector<Hypothesis>& rival_hypotheses() {
  static const std::vector<Hypothesis> all{wrong_stride};
  return all;
}

const std::vector<Hypothesis>& guessing_hypotheses() {
  static const std::vector<Hypothesis> all{
      width_over_head_dim, odd_rotary_dim, cache_too_short, negative_position, varlen_total_over_rows, missing_row_mask,
      missing_column_mask, int32_overflow, wrong_stride,    rows_skipped,      block_local_mask};
  return all;
}

}  // namespace ropewalk::diagnose
