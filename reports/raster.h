// A tensor seen as a raster of cells, with how much of each cell a finding has hit.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"

namespace ropewalk::reports {

// How large the raster may be.
struct RasterLimits {
  i64 columns = 64;
  i64 lines_inside = 4;   // of the tensor itself
  i64 lines_outside = 2;  // before its start, and past its end, each
};

// A cell covers elements of one or several rows.
struct RasterCell {
  u64 inside = 0;    // hit elements of the tensor
  u64 outside = 0;   // hit elements that it does not have
  u64 elements = 0;  // that the cell covers
  float error = 0;   // the largest, over what is allowed
};

// A line of cells: rows [first_row, last_row) of the tensor.
struct RasterLine {
  i64 first_row = 0, last_row = 0;
  std::vector<RasterCell> cells;
};

// Lines that follow each other without a gap.
struct RasterBand {
  enum class Where : u8 { Before, Inside, Past } where = Where::Inside;
  std::vector<RasterLine> lines;
};

// Rows are all dimensions but the last, flattened, columns the last one. A tensor of one dimension is folded into lines
// of equal length. Bands outside the tensor are there where something was hit there.
struct Raster {
  i64 elements = 0;   // of the tensor
  i64 width = 1;      // elements of a row
  i64 per_cell = 1;   // elements of a row that a cell is wide
  bool flat = false;  // one dimension: what stands for rows are pieces of it
  bool hit_inside = false, hit_outside = false;
  bool has_errors = false;  // of cells: the hits are numbers that differ
  std::vector<RasterBand> bands;

  // "512..1023": the rows of a line; of a flat tensor its elements.
  std::string label_of(const RasterLine& line) const;
};

// No bands where the footprint has no elements.
Raster raster_of(const Footprint& footprint, const RasterLimits& limits);

}  // namespace ropewalk::reports
