// Rope tables as programs make them, in float32 and shorter, step by step: the healthy ones and the broken ones.
// Written from the published formulas and apart from the reference, in the manner of transformers' modeling_rope_utils.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/problem/rope_formula.h"

namespace ropewalk::rope {

// What a program did, where it may go wrong.
struct Making {
  RopeFormula formula;                   // what it computed with
  i64 formula_rows = 0;                  // the length that dynamic rope and longrope saw
  i64 width = 0;                         // of the exponents; 0: rotary_dim
  i64 pairs = 0;                         // columns that it made; 0: the formula's
  std::optional<Dtype> frequency_dtype;  // inv_freq was cast to it
  std::optional<Dtype> position_dtype;   // arange had it
  std::optional<Dtype> product_dtype;    // position x frequency had it
  bool add_angles = false;               // angles by repeated addition
  bool multiply_frequencies = false;     // frequencies by repeated multiplication
  std::optional<double> attention;       // in place of the formula's
  std::function<double(i64)> position;   // of a row; empty: the row
};

// Values [rows, pairs], in float32, before the cast to the table's dtype.
struct FloatTable {
  i64 rows = 0, pairs = 0;
  std::vector<float> cosine, sine;
};

std::vector<float> float_frequencies(const Making& making);
FloatTable float_table(const Making& making, i64 rows);

}  // namespace ropewalk::rope
