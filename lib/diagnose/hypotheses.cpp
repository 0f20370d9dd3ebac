#include "lib/diagnose/hypothesis.h"
#include "lib/diagnose/widths.h"

namespace ropewalk {

const std::vector<Hypothesis>& all_hypotheses() {
  static const std::vector<Hypothesis> all{width_over_head_dim};
  return all;
}

}  // namespace ropewalk
