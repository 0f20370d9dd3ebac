// What was judged, table by table, and the findings that it comes to.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/rope/judge_table.h"
#include "lib/rope/ranks.h"

namespace ropewalk::rope {

// One table, or one tensor of inverse frequencies, of one rank.
struct JudgedTable {
  i64 rank = 0;
  std::string file;
  const CacheTable* table = nullptr;  // null: inverse frequencies
  const FrequencyTensor* frequencies = nullptr;
  TableTask task;
  TableVerdict verdict;
  std::string open = {};                   // why it is neither right nor wrong; empty: it is one of them
  bool on_a_grid = false;                  // its rows are no positions, but cells
  std::string layer_type = {};             // whose formula it was judged by; empty: of no type
  bool only_damage = false;                // judged without a formula
  std::optional<i64> reference_rank = {};  // by whose copy it was judged, where no formula decides

  // The same table has the same name on each rank.
  const std::string& name() const { return table ? table->name : frequencies->tensor; }
  // One name for all tables of its tensor.
  std::string name_of_all() const;
};

// Equal defects as one finding: the same cause in several tables and ranks. ranks: files in all.
std::vector<Finding> findings_of(const std::vector<JudgedTable>& judged, i64 ranks);

}  // namespace ropewalk::rope
