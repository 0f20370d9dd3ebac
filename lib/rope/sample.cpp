#include "lib/rope/sample.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "lib/base/half.h"

namespace ropewalk::rope {

double TableSample::length_at(size_t n, i64 pair) const {
  const double c = has_cos ? cosine[at(n, pair)] : 0, s = has_sin ? sine[at(n, pair)] : 0;
  return std::hypot(c, s);
}

std::vector<i64> telling_rows(i64 rows, size_t most) {
  std::set<i64> chosen;
  const auto add = [&](i64 row) {
    if (row >= 0 && row < rows) chosen.insert(row);
  };
  for (i64 row = 0; row < 20; ++row) add(row);
  for (i64 power = 32; power < rows; power *= 2) {
    add(power);
    add(power + 1);
    add(power + 3);  // odd ones are the first that a short format cannot hold
  }
  for (i64 row = rows - 3; row < rows; ++row) add(row);
  // An even spread with steps of no round number, so that no modulus hides.
  const size_t left = most > chosen.size() ? most - chosen.size() : 0;
  for (size_t n = 1; n <= left; ++n) add(i64(double(rows) * (double(n) - 0.382) / double(left + 1)));
  return {chosen.begin(), chosen.end()};
}

TableSample sample_of(const CacheTable& table, std::vector<i64> rows) {
  TableSample sample;
  sample.rows = std::move(rows);
  sample.pairs = table.pairs();
  for (const Plane& plane : table.planes) {
    for (const Trig trig : {Trig::Cos, Trig::Sin}) {
      if (plane.column_of(0, trig) < 0) continue;
      (trig == Trig::Cos ? sample.has_cos : sample.has_sin) = true;
      std::vector<double>& out = trig == Trig::Cos ? sample.cosine : sample.sine;
      out.clear();
      for (const i64 row : sample.rows) {
        for (i64 pair = 0; pair < sample.pairs; ++pair) out.push_back(plane.at(row, plane.column_of(pair, trig)));
      }
    }
  }
  return sample;
}

namespace {

// Planes of one dtype.
Dtype rounded_to(std::span<const Plane> planes) {
  const Dtype own = planes.front().dtype;
  if (own != Dtype::F32 && own != Dtype::F64) return own;
  bool all_f32 = true, all_f16 = true, all_bf16 = true;
  i64 telling = 0;
  for (const Plane& plane : planes) {
    for (const i64 row : telling_rows(plane.rows, 96)) {
      for (i64 column = 0; column < plane.columns; ++column) {
        const double value = plane.at(row, column);
        if (value == 0 || std::abs(value) == 1 || std::isnan(value)) continue;
        ++telling;
        all_f32 &= double(float(value)) == value;
        all_f16 &= double(f16_to_f32(f64_to_f16(value))) == value;
        all_bf16 &= double(bf16_to_f32(f64_to_bf16(value))) == value;
      }
    }
  }
  if (telling >= 8 && all_bf16) return Dtype::BF16;
  if (telling >= 8 && all_f16) return Dtype::F16;
  return own == Dtype::F64 && !(telling >= 8 && all_f32) ? Dtype::F64 : Dtype::F32;
}

double unit_of(Dtype dtype) {
  return dtype == Dtype::BF16 ? 0x1p-8 : dtype == Dtype::F16 ? 0x1p-11 : dtype == Dtype::F32 ? 0x1p-24 : 0x1p-53;
}

}  // namespace

Dtype rounded_to(const CacheTable& table) { return rounded_to(std::span(table.planes)); }

Dtype Rounding::coarser() const { return unit_of(cos) > unit_of(sin) ? cos : sin; }

Rounding rounding_of(const CacheTable& table) {
  const auto& planes = table.planes;
  const Dtype all = rounded_to(table);
  if (planes.size() != 2 || planes[0].dtype == planes[1].dtype) return {all, all};
  return {rounded_to(std::span(planes).first(1)), rounded_to(std::span(planes).last(1))};
}

}  // namespace ropewalk::rope
