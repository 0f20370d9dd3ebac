#include "lib/diagnose/hypothesis.h"
#include "lib/diagnose/masks.h"
#include "lib/diagnose/overflow.h"
#include "lib/diagnose/positions.h"
#include "lib/diagnose/skipped_rows.h"
#include "lib/diagnose/strides.h"
#include "lib/diagnose/widths.h"

namespace ropewalk {

const std::vector<Hypothesis>& all_hypotheses() {
  static const std::vector<Hypothesis> all{
      width_over_head_dim, odd_rotary_dim, cache_too_short, negative_position, varlen_total_over_rows, missing_row_mask,
      missing_column_mask, int32_overflow, wrong_stride,    rows_skipped,      block_local_mask};
  return all;
}

}  // namespace ropewalk
