// Dumps of one plain table, for tests.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/check_caches.h"
#include "lib/rope/made/dump_writer.h"

namespace ropewalk::rope::testing {

inline RopeFormula plain_formula(i64 dim = 64, i64 length = 1024) {
  RopeFormula formula;
  formula.theta = 10000;
  formula.head_dim = formula.rotary_dim = dim;
  formula.max_positions = length;
  return formula;
}

inline RopeConfig config_for(const RopeFormula& formula, const std::string& family = "") {
  RopeConfig config{{{"", formula}}};
  config.family = family;
  return config;
}

// A file of one tensor: the table's rows as [cos | sin].
inline Dump bare_dump(const FloatTable& table, const std::string& name = "t", bool sin_first = false) {
  std::vector<float> values;
  for (i64 row = 0; row < table.rows; ++row) {
    for (const bool first : {true, false}) {
      const std::vector<float>& half = first != sin_first ? table.cosine : table.sine;
      const auto begin = half.begin() + row * table.pairs;
      values.insert(values.end(), begin, begin + table.pairs);
    }
  }
  DumpWriter writer("rank.npy");
  writer.add_tensor(name, Dtype::F32, {table.rows, 2 * table.pairs}, values);
  return writer.finish();
}

// Rows of the plain table that stand at the positions of `position`.
inline FloatTable rows_at(i64 rows, std::function<double(i64)> position) {
  Making making{plain_formula(), rows};
  making.position = std::move(position);
  return float_table(making, rows);
}

// The cause of the one finding; empty where there is none.
inline std::string only_cause(const CacheAnswer& answer) {
  if (answer.findings.size() > 1) return "several findings";
  if (answer.findings.empty()) return "";
  return answer.findings[0].cause ? answer.findings[0].cause->id : "no cause";
}

}  // namespace ropewalk::rope::testing
