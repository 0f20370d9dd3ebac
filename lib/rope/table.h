// Rope tables as a dump holds them: which bytes are cos and sin of which position and pair.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lib/rope/dump.h"

namespace ropewalk::rope {

enum class Trig : u8 { Cos, Sin };

// How the columns of a tensor stand for pairs.
enum class ColumnLayout : u8 {
  Plain,           // column i is pair i
  RepeatedHalf,    // columns i and i + pairs are pair i
  RepeatedPairs,   // columns 2 i and 2 i + 1 are pair i
  CosSinHalves,    // the first half is cos, the second sin
  CosSinPairs,     // column 2 i is cos of pair i, 2 i + 1 its sin (complex numbers too)
  SinCosHalves,    // the first half is sin, the second cos (GPT-J's embed_positions)
  RepeatedByAxis,  // the first half is the first axis, repeated in halves, the second half the second (Gemma 4's tower)
  BothRepeatedHalf  // the first half is cos, the second sin, and each is repeated in halves
};
std::string_view name_of(ColumnLayout layout);

// Rows of one tensor.
struct Plane {
  std::string tensor;  // its name in the dump
  const std::byte* start = nullptr;
  Dtype dtype = Dtype::F32;  // of one column; complex elements are two columns of f32
  i64 rows = 0, columns = 0;
  ColumnLayout layout = ColumnLayout::Plain;
  Trig trig = Trig::Cos;  // of layouts that hold one function
  bool mapped = false;    // the bytes are a file's pages, which may be dropped and read again

  bool holds_both() const {
    return layout == ColumnLayout::CosSinHalves || layout == ColumnLayout::CosSinPairs ||
           layout == ColumnLayout::SinCosHalves || layout == ColumnLayout::BothRepeatedHalf;
  }
  i64 pairs() const {
    if (layout == ColumnLayout::Plain) return columns;
    return layout == ColumnLayout::BothRepeatedHalf ? columns / 4 : columns / 2;
  }
  // Pair and function of a column.
  i64 pair_of(i64 column) const;
  Trig trig_of(i64 column) const;
  // The first column of a pair's function; -1: the plane does not hold it.
  i64 column_of(i64 pair, Trig function) const;
  double at(i64 row, i64 column) const {
    return load_as_double(start + (row * columns + column) * i64(size_of(dtype)), dtype);
  }
};

// Rows of a table that are neighbouring positions.
struct PositionRun {
  i64 first_row = 0, rows = 0;
  i64 first_position = 0;
  bool operator==(const PositionRun&) const = default;
};
using PositionRuns = std::vector<PositionRun>;
inline PositionRuns positions_from(i64 first_position, i64 rows) { return {{0, rows, first_position}}; }
// So many positions a model must have at least.
i64 positions_of(const PositionRuns& runs);

// Where rows that are cells of a grid stand on each of its axes: [axes][rows].
using GivenCells = std::vector<std::vector<i64>>;

// What belongs together: one plane with both functions, or one or two with one each.
struct CacheTable {
  std::string module;  // the tensor's name with `~` for cos and sin: the same for both of a module
  std::string name;    // readable_name
  std::vector<Plane> planes;
  i64 rows = 0;
  std::optional<bool> long_part;  // of longrope: which of two parts or tables, the long one or the short one
  bool guess = false;             // its name does not say that it is a table
  i64 number = 0, of = 1;         // its tensor has so many tables: those of a batch, perhaps
  bool of_batch = false;   // its tensor is [batch, rows, columns]: what a forward returns, perhaps of a short text
  PositionRuns given;      // where its rows stand by positions in its file (given_positions.h); empty: none
  GivenCells given_cells;  // the same of cells; empty: none

  i64 pairs() const { return planes.front().pairs(); }
  std::string tensors() const;  // their names, with commas
};

// A tensor that holds inverse frequencies.
struct FrequencyTensor {
  std::string tensor;
  Dtype dtype = Dtype::F32;
  std::vector<double> values;
  bool guess = false;  // its name does not say that it holds them
};

struct FileTables {
  std::string path;
  std::vector<CacheTable> tables;
  std::vector<FrequencyTensor> frequencies;
  std::vector<std::string> ignored;  // names of tensors that are no rope caches
  struct Unjudged {
    std::string tensor, reason;
  };
  std::vector<Unjudged> unjudged;  // tensors that hold angles, or may hold them, and tables without values to compare
};

// What is known of the tables beforehand.
struct TableHints {
  std::vector<i64> pairs;      // of the formulas that they may have; empty: not known
  i64 original_positions = 0;  // rows of the short part of a long_short_cos_sin_cache; 0: not known
  i64 long_positions = 0;      // rows of its long part; 0: not known
  bool sin_first = false;      // the model's embed_positions are [sin | cos]

  bool may_have(i64 width) const { return std::find(pairs.begin(), pairs.end(), width) != pairs.end(); }
  // Whether columns may be two for each pair.
  bool may_be_doubled(i64 columns) const { return columns % 2 == 0 && may_have(columns / 2); }
};

// The name of a table of one tensor is the tensor's; of two, what they share.
std::string readable_name(const CacheTable& table);

// Sorts a file's tensors by their names ("cos", "sin", "cos_sin_cache", "freqs_cis", "inv_freq"), their shapes and,
// where those do not decide, by what they hold. Throws InputError where no tensor can be a rope cache.
FileTables find_tables(const Dump& dump, const TableHints& hints);

}  // namespace ropewalk::rope
