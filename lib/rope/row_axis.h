// Which axis of a tensor counts positions, by where its values change as cos and sin do.
#pragma once
#include "lib/rope/table.h"

namespace ropewalk::rope {

// The order in which the axes of a tensor are those of tables: [.., rows, columns]. `inner`: how many of the last axes
// belong to one row. The shape alone does not tell rows from the members of a batch in [rows, batch, columns], nor from
// columns in [columns, rows]. From one position to the next a value moves by x[n + 1] + x[n - 1] = k x[n]. Where no
// other axis shows that much better than the one before the columns, the order stays: 0, 1, 2, ...
std::vector<size_t> axes_of_tables(const DumpTensor& tensor, size_t inner, const TableHints& hints);

// The elements of a tensor in another order of its axes, as bytes, and its shape in that order.
std::vector<std::byte> with_axes_moved(const DumpTensor& tensor, const std::vector<size_t>& order);
Shape shape_in_order(const Shape& shape, const std::vector<size_t>& order);

}  // namespace ropewalk::rope
