// One table: whether it holds what it should, and if not, what happened to it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/alternatives.h"
#include "lib/rope/stream.h"

namespace ropewalk::rope {

// What a table should hold.
struct TableTask {
  RopeFormula formula;
  bool recognised = false;  // the formula was read off the tables
  i64 formula_rows = 0;     // rows of all shards together
  PositionRuns runs;        // the positions of this table's rows
  u32 threads = 1;
  std::vector<Alternative> known;       // formulas that explained other tables of the dump, to be tried here too
  i64 model_width = 0;                  // of the hidden states, which may have been taken for a head's; 0: not known
  bool at_cells = false;                // its rows stand at the cells that its file gives, in place of `runs`
  std::optional<ImageGrid> image = {};  // its rows are these cells, in place of `runs`
  i64 asked_rows = 0;                   // that it should have, in place of the model's positions; 0: nobody asked

  bool by_cells() const { return at_cells || image; }
  // Positions that all shards together should have; 0: not known.
  i64 length() const { return asked_rows ? asked_rows : formula.max_positions; }
};

struct TableVerdict {
  bool healthy = false;
  double part = 0;  // of a healthy table: the largest error of sampled values as a part of its bound
  StreamVerdict stream;
  std::string cause, text, advice;  // cause empty: the data decide for none
  std::vector<std::string> evidence;
  std::optional<Alternative> winner;  // the alternative that explains the table
  size_t plane = 0;                   // where it shows
  i64 first_row = 0;
};

// The formula that a table's frequencies follow, for tables without a configuration; rows without numbers or of zeros
// tell nothing. nullopt where no known formula explains it, or formulas of any base do; then `nearest` explains most of
// it, or is the default formula whose frequencies are nearest.
struct Recognised {
  std::optional<RopeFormula> formula;
  RopeFormula nearest;
};
Recognised recognise(const CacheTable& table);
Recognised recognise(const FrequencyTensor& frequencies);

// The sample on which a table's alternatives are fitted, and what is known of it.
Suspect suspect_of(const CacheTable& table, const TableTask& task);

// How much of a few rows the task explains, from 0 to 1: quick, for choosing between tasks.
double quick_share(const CacheTable& table, const TableTask& task);

TableVerdict judge_table(const CacheTable& table, const TableTask& task);
// The same for a formula with XPos, whose values grow or shrink with the position.
TableVerdict judge_xpos_table(const CacheTable& table, const TableTask& task);
// How many frequencies a tensor of `count` of them keeps of a formula: axes with the same ones keep them once.
i64 frequencies_kept(const RopeFormula& formula, i64 count);
// Frequencies in the order of their axes, where a model sorts them so: those of even number before those of odd number,
// and ERNIE's of time behind both. Of other formulas the same.
reference::RopeFrequencies frequencies_by_axes(const RopeFormula& formula, const reference::RopeFrequencies& plain);
TableVerdict judge_frequencies(const FrequencyTensor& tensor, const TableTask& task);

// "residual 3.1e-05, 99.98% of the sampled values are within their bound"
std::string fit_text(const Fit& fit);

}  // namespace ropewalk::rope
