// Causes that speak of a width below head_dim: the columns behind it, and how far the columns of a pair are apart.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// In place, where columns past the width must be left alone, exactly those are touched that lanes up to the next
// power of two of the pairs, or up to the block's width, turn (missing-column-mask), or that pairs half of head_dim
// apart reach (head-dim-for-rotary-dim).
std::optional<Cause> tail_touched(const Finding& finding, const Scene& scene);

// Exactly those columns of every row are not written that pairs of half of head_dim, instead of half of the width, do
// not reach: head-dim-for-rotary-dim.
std::optional<Cause> pair_distance(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
