// Damage that is seen without knowing the formula, or the order of the rows.
#pragma once
#include "lib/rope/judge_table.h"

namespace ropewalk::rope {

// Values that are no numbers, and, where nearly all pairs (cos, sin) have one length, those that have another one: rows
// of zeros or of anything, and a few elements. Sets the verdict, without expected values, and says whether there is
// any.
bool explain_damage(TableVerdict& verdict, const CacheTable& table);

}  // namespace ropewalk::rope
