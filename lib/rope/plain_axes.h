// Tensors of more axes than a table has, put as tables: what find_tables.h reads has rows and columns, and before them
// axes that count tables.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/table.h"

namespace ropewalk::rope {

// The dump with these tensors replaced, which are recognised by what they hold:
// - [.., rows, heads, columns] where the heads are alike becomes [.., rows, columns]; where some differ, one of that
//   shape for each head;
// - [.., rows, 2, columns] of cos and sin (torch.stack) becomes [.., rows, 2 columns];
// - [.., rows, pairs, 2, 2] of rotations [[cos, -sin], [sin, cos]] becomes [.., rows, pairs, 2], and where their two
//   columns do not say the same, one for each;
// - [.., rows, columns, 2] that is called cos or sin alone, and holds not both, becomes [2, .., rows, columns];
// - one whose positions another axis counts gets its axes in the order of tables (row_axis.h).
// Adds a note for each. Others are left as they are.
Dump with_plain_axes(Dump dump, const TableHints& hints, std::vector<std::string>& notes);

}  // namespace ropewalk::rope
