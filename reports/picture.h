// A small picture of where in a tensor the accesses of a finding fall.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/finding.h"
#include "reports/raster.h"

namespace ropewalk::reports {

// The tensor as rows (all dimensions but the last, flattened) by columns (the last), compressed to at most 64
// characters by 8 lines: '.' no hit, 'o' hits inside the tensor, 'X' hits outside. Lines outside the tensor appear
// where something was hit there. Each line carries its rows (of a tensor of one dimension: its elements) on the left;
// the last line says what a character stands for. Empty where the footprint has no elements.
std::vector<std::string> picture_of(const Footprint& footprint);

// "rows of 64 elements, a cell is 1 element wide; a sample of the hits"; `cell` names what a cell is called.
std::string scale_of(const Raster& raster, const Footprint& footprint, const char* cell);

}  // namespace ropewalk::reports
