#include "lib/rope/axis_tables.h"

#include <fmt/format.h>

#include <string>

namespace ropewalk::rope {
namespace {

constexpr i64 axes = 3;

// "~" of the module "~[1]".
std::string whole_of(const CacheTable& table) { return table.module.substr(0, table.module.rfind('[')); }

bool are_axes(const CacheTable& table, const CacheTable& other) {
  const bool is_part = whole_of(other) == whole_of(table) && other.of == axes && other.number != table.number;
  return is_part && other.rows == table.rows && !other.given.empty();
}

}  // namespace

bool explain_exchanged_axes(JudgedTable& one, const std::vector<CacheTable>& tables) {
  const CacheTable& table = *one.table;
  if (table.of != axes || table.given.empty() || one.task.formula.axes == RopeAxes::One) return false;
  for (const CacheTable& other : tables) {
    TableTask moved = one.task;
    moved.runs = other.given;
    if (!are_axes(table, other) || quick_share(table, moved) < 0.99 || !judge_table(table, moved).healthy) continue;
    one.verdict.cause = "axes-exchanged";
    one.verdict.text = fmt::format("its rows stand at the positions on the axis of {}, in place of {}",
                                   axis_names[other.number], axis_names[table.number]);
    one.verdict.advice = "give the table of each axis the positions on that axis";
    one.verdict.evidence = {fmt::format(
        "every row is right at the position that the file gives for it on the axis of {}", axis_names[other.number])};
    return true;
  }
  return false;
}

}  // namespace ropewalk::rope
