// Faults of what the bytes are, not of the formula: memory that nobody filled, parts that were lost, columns in two
// layouts.
#pragma once
#include "lib/rope/judge_table.h"

namespace ropewalk::rope {

// Each says whether it explained the table, and then has set cause, text, advice and evidence.
bool explain_storage(TableVerdict& verdict, const CacheTable& table, const Suspect& suspect, const TableSample& sample);
// Memory that nobody filled, which needs no formula to be seen.
bool explain_garbage(TableVerdict& verdict, const CacheTable& table, const Suspect& suspect, const TableSample& sample);

// A real tensor that should be complex, and whose values are right as cos alone.
bool explain_real_part(TableVerdict& verdict, const CacheTable& table);

}  // namespace ropewalk::rope
