#include "lib/rope/plain_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "lib/rope/names.h"
#include "lib/rope/row_axis.h"

namespace ropewalk::rope {
namespace {

constexpr i64 most_looked_at = 64;  // blocks

// A tensor as blocks, one for each row, of `parts` parts that lie behind one another.
struct Blocks {
  const DumpTensor& tensor;
  Shape outer;  // the axes that count blocks
  i64 count = 0, parts = 0, columns = 0;

  size_t part_bytes() const { return size_t(columns) * size_of(tensor.dtype); }
  const std::byte* part(i64 block, i64 n) const {
    return tensor.data.data() + size_t(block * parts + n) * part_bytes();
  }
  double at(i64 block, i64 n, i64 column) const {
    return load_as_double(part(block, n) + size_t(column) * size_of(tensor.dtype), tensor.dtype);
  }
  bool is_empty(i64 block) const {
    const std::byte* const first = part(block, 0);
    return std::all_of(first, first + size_t(parts) * part_bytes(),
                       [](std::byte byte) { return byte == std::byte(0); });
  }
  bool are_equal(i64 block, i64 n, i64 other_block, i64 other) const {
    return std::memcmp(part(block, n), part(other_block, other), part_bytes()) == 0;
  }
  // How many parts of a block are equal to part n, with itself.
  i64 alike(i64 block, i64 n) const {
    i64 count = 0;
    for (i64 other = 0; other < parts; ++other) count += are_equal(block, n, block, other);
    return count;
  }
  // Calls look(block) for some blocks all over that are not empty.
  void sample(const std::function<void(i64)>& look) const {
    const i64 step = std::max<i64>(1, count / most_looked_at);
    for (i64 block = 0; block < count; block += step) {
      if (!is_empty(block)) look(block);
    }
  }
};

// Leaves out the `inner` last axes and those of extent 1; the last one that remains counts the parts.
Blocks blocks_of(const DumpTensor& tensor, size_t inner) {
  Blocks blocks{tensor, {}, 1, 1, 1};
  for (size_t n = 0; n < tensor.shape.size(); ++n) {
    if (n + inner >= tensor.shape.size())
      blocks.columns *= tensor.shape[n];
    else if (tensor.shape[n] != 1)
      blocks.outer.push_back(tensor.shape[n]);
  }
  if (!blocks.outer.empty()) {
    blocks.parts = blocks.outer.back();
    blocks.outer.pop_back();
  }
  for (const i64 extent : blocks.outer) blocks.count *= extent;
  return blocks;
}

// What takes the place of a tensor, with the bytes of those that were copied.
struct Replacement {
  std::vector<DumpTensor> tensors;
  std::vector<std::shared_ptr<std::vector<std::byte>>> copies;

  // A tensor of `width` bytes for each block, which fill(block, to) writes.
  void add(const DumpTensor& from, std::string name, Shape shape, i64 count, size_t width,
           const std::function<void(i64, std::byte*)>& fill) {
    copies.push_back(std::make_shared<std::vector<std::byte>>(size_t(count) * width));
    for (i64 block = 0; block < count; ++block) fill(block, copies.back()->data() + size_t(block) * width);
    tensors.push_back(
        {std::move(name), from.dtype, std::move(shape), {copies.back()->data(), copies.back()->size()}, false});
  }
  // The tensor with its axes in another order.
  void add_moved(const DumpTensor& from, const std::vector<size_t>& order) {
    copies.push_back(std::make_shared<std::vector<std::byte>>(with_axes_moved(from, order)));
    tensors.push_back({from.name,
                       from.dtype,
                       shape_in_order(from.shape, order),
                       {copies.back()->data(), copies.back()->size()},
                       false});
  }
};

std::vector<size_t> order_of_axes(size_t axes) {
  std::vector<size_t> order(axes);
  std::iota(order.begin(), order.end(), size_t(0));
  return order;
}

size_t inner_axes(const DumpTensor& tensor) {
  return tensor.dtype != Dtype::C64 && tensor.shape.size() > 2 && tensor.shape.back() == 2 ? 2 : 1;
}

// Heads that share one table. Rows differ from each other, and heads do not.
bool replace_heads(const DumpTensor& tensor, Replacement& out, std::vector<std::string>& notes) {
  const size_t inner = inner_axes(tensor);
  const Blocks blocks = blocks_of(tensor, inner);
  if (blocks.parts < 2 || blocks.count < 2) return false;
  // Most heads are those of the first or those of the second, and what they are alike in changes from row to row.
  i64 looked = 0, alike = 0, first = -1;
  bool rows_differ = false;
  blocks.sample([&](i64 block) {
    ++looked;
    if (std::max(blocks.alike(block, 0), blocks.alike(block, 1)) * 2 <= blocks.parts) return;
    ++alike;
    if (first < 0) first = block;
    rows_differ |= !blocks.are_equal(first, 0, block, 0);
  });
  if (alike * 2 < looked || !rows_differ) return false;
  bool all = true;
  for (i64 block = 0; all && block < blocks.count; ++block) all = blocks.alike(block, 0) == blocks.parts;
  Shape shape = blocks.outer;
  shape.insert(shape.end(), tensor.shape.end() - i64(inner), tensor.shape.end());
  for (i64 head = 0; head < (all ? 1 : blocks.parts); ++head) {
    const std::string name = all ? tensor.name : fmt::format("{}[:, {}]", tensor.name, head);
    out.add(tensor, name, shape, blocks.count, blocks.part_bytes(),
            [&](i64 block, std::byte* to) { std::memcpy(to, blocks.part(block, head), blocks.part_bytes()); });
  }
  notes.push_back(fmt::format(
      "{} has an axis of {} heads behind that of the rows, {}", tensor.name, blocks.parts,
      all ? "which are alike: the table of one is judged" : "which are not alike: each is judged by itself"));
  return true;
}

// cos and sin of the same angles behind one another in each row.
bool replace_stack(const DumpTensor& tensor, Replacement& out, std::vector<std::string>& notes) {
  if (tensor.dtype == Dtype::C64 || inner_axes(tensor) != 1) return false;
  const Blocks blocks = blocks_of(tensor, 1);
  if (blocks.parts != 2 || blocks.count < 3) return false;
  i64 looked = 0, good = 0;
  double sum = 0;
  blocks.sample([&](i64 block) {
    for (i64 column = 0; column < blocks.columns; ++column) {
      const double length = std::hypot(blocks.at(block, 0, column), blocks.at(block, 1, column));
      if (looked++ == 0) sum = length;
      good += std::abs(length - sum) < 0.01 * sum;
    }
  });
  if (!(sum > 0.4 && sum < 5) || good * 10 < looked * 9) return false;
  Shape shape = blocks.outer;
  shape.push_back(2 * blocks.columns);
  out.tensors.push_back({tensor.name, tensor.dtype, shape, tensor.data, tensor.mapped});
  notes.push_back(tensor.name + " has cos and sin behind one another in each row");
  return true;
}

// Matrices [[cos, -sin], [sin, cos]].
bool replace_rotations(const DumpTensor& tensor, Replacement& out, std::vector<std::string>& notes) {
  const size_t axes = tensor.shape.size();
  if (tensor.dtype == Dtype::C64 || axes < 4 || tensor.shape[axes - 1] != 2 || tensor.shape[axes - 2] != 2)
    return false;
  const Blocks blocks = blocks_of(tensor, 2);  // a part is a matrix
  const auto are_same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const auto is_rotation = [&](i64 block, i64 n) {
    return are_same(blocks.at(block, n, 0), blocks.at(block, n, 3)) &&
           are_same(blocks.at(block, n, 1), -blocks.at(block, n, 2));
  };
  i64 looked = 0, good = 0, turned = 0;
  blocks.sample([&](i64 block) {
    for (i64 n = 0; n < blocks.parts; ++n) {
      ++looked;
      good += is_rotation(block, n);
      turned += blocks.at(block, n, 2) != 0;
    }
  });
  if (turned == 0 || good * 10 < looked * 9) return false;
  bool all = true;
  for (i64 block = 0; all && block < blocks.count; ++block) {
    for (i64 n = 0; n < blocks.parts; ++n) all &= is_rotation(block, n);
  }
  Shape shape = tensor.shape;
  shape.pop_back();
  const size_t size = size_of(tensor.dtype);
  for (const i64 column : {0, 1}) {
    if (column == 1 && all) break;
    out.add(tensor, all ? tensor.name : fmt::format("{}[..., {}]", tensor.name, column), shape, blocks.count,
            2 * size_t(blocks.parts) * size, [&](i64 block, std::byte* to) {
              for (i64 n = 0; n < blocks.parts; ++n, to += 2 * size) {
                store_from_double(to, tensor.dtype, blocks.at(block, n, column ? 3 : 0));
                store_from_double(to + size, tensor.dtype, column ? -blocks.at(block, n, 1) : blocks.at(block, n, 2));
              }
            });
  }
  notes.push_back(tensor.name + " holds matrices [[cos, -sin], [sin, cos]]" +
                  (all ? "" : ", whose two columns do not say the same: each is judged by itself"));
  return true;
}

// cos or sin of several tables along the last axis, where complex numbers have their two parts.
bool replace_last_pair(const DumpTensor& tensor, Replacement& out, std::vector<std::string>& notes) {
  const Role role = role_of(tensor.name);
  if ((role != Role::Cos && role != Role::Sin) || inner_axes(tensor) != 2 || tensor.shape.end()[-2] <= 2) return false;
  const Blocks blocks = blocks_of(tensor, 2);
  i64 looked = 0, both = 0;
  blocks.sample([&](i64 block) {
    for (i64 n = 0; n < blocks.parts; ++n) {
      for (i64 column = 0; column + 1 < blocks.columns; column += 2, ++looked)
        both += std::abs(std::hypot(blocks.at(block, n, column), blocks.at(block, n, column + 1)) - 1) < 0.01;
    }
  });
  if (both * 2 > looked) return false;
  std::vector<size_t> order = order_of_axes(tensor.shape.size());
  order.insert(order.begin(), order.back());
  order.pop_back();
  out.add_moved(tensor, order);
  notes.push_back(tensor.name + " has two tables along its last axis: each is judged by itself");
  return true;
}

// Rows that another axis counts than the one before the columns.
bool replace_order(const DumpTensor& tensor, const TableHints& hints, Replacement& out,
                   std::vector<std::string>& notes) {
  const std::vector<size_t> order = axes_of_tables(tensor, inner_axes(tensor), hints);
  if (std::is_sorted(order.begin(), order.end())) return false;
  out.add_moved(tensor, order);
  notes.push_back(fmt::format("{} is read with its axes in the order {}: its values say which of them counts positions",
                              tensor.name, fmt::join(order, ", ")));
  return true;
}

// The tensor itself, or what takes its place; what heads were taken out of may have more of them.
void take_apart(const DumpTensor& tensor, const TableHints& hints, Replacement& out, std::vector<std::string>& notes) {
  Replacement found;
  const bool is_replaced = replace_rotations(tensor, found, notes) || replace_stack(tensor, found, notes) ||
                           replace_heads(tensor, found, notes) || replace_last_pair(tensor, found, notes) ||
                           replace_order(tensor, hints, found, notes);
  if (!is_replaced) return out.tensors.push_back(tensor);
  out.copies.insert(out.copies.end(), found.copies.begin(), found.copies.end());
  for (const DumpTensor& part : found.tensors) take_apart(part, hints, out, notes);
}

}  // namespace

Dump with_plain_axes(Dump dump, const TableHints& hints, std::vector<std::string>& notes) {
  struct Owners {
    std::shared_ptr<const void> file;
    std::vector<std::shared_ptr<std::vector<std::byte>>> copies;
  };
  Replacement all;
  for (const DumpTensor& tensor : dump.tensors) take_apart(tensor, hints, all, notes);
  dump.is_single = dump.tensors.size() == 1;
  dump.tensors = std::move(all.tensors);
  dump.owner = std::make_shared<Owners>(Owners{dump.owner, std::move(all.copies)});
  return dump;
}

}  // namespace ropewalk::rope
