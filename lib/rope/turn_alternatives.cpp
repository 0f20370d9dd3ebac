#include <cmath>
#include <memory>

#include "lib/rope/alternatives.h"

namespace ropewalk::rope {
namespace {

// cos and sin by multiplying complex numbers, [rows, pairs].
struct Turned {
  std::vector<float> cosine, sine;
  i64 pairs = 0;
};

// By each row: (c + i s) (c1 + i s1), with every product and sum rounded.
std::shared_ptr<Turned> turned_by(const TableSample& step, i64 pairs, i64 rows) {
  const auto out = std::make_shared<Turned>();
  out->pairs = pairs;
  out->cosine.resize(size_t(rows * pairs));
  out->sine.resize(size_t(rows * pairs));
  for (i64 pair = 0; pair < pairs; ++pair) {
    const float c1 = float(step.cosine[size_t(pair)]), s1 = float(step.sine[size_t(pair)]);
    float c = 1, s = 0;
    for (i64 row = 0; row < rows; ++row) {
      out->cosine[size_t(row * pairs + pair)] = c;
      out->sine[size_t(row * pairs + pair)] = s;
      const float cc = c * c1, ss = s * s1, sc = s * c1, cs = c * s1;
      c = cc - ss;
      s = sc + cs;
    }
  }
  return out;
}

}  // namespace

std::vector<Alternative> turn_alternatives(const Suspect& suspect, const CacheTable& table, i64 last_row) {
  const Model right = model_of(suspect.expected, suspect);
  const bool from_zero = !suspect.position && !suspect.pair_position;
  const i64 rows = last_row + 1;
  if (!from_zero || suspect.rounding.coarser() != Dtype::F32 || right.frequencies.pairs() < suspect.pairs ||
      table.rows < 3 || right.frequencies.attention != 1 || rows * suspect.pairs > i64(1) << 26)
    return {};
  // The step must be the right one: what follows is the error of the steps alone.
  const TableSample step = sample_of(table, {1});
  if (!step.has_cos || !step.has_sin || fit_of(right, step, suspect.rounding).share < 1) return {};
  Model model = right;
  model.value = [turned = turned_by(step, suspect.pairs, rows)](i64 row, i64 pair, Trig trig) -> double {
    const size_t at = size_t(row * turned->pairs + pair);
    if (at >= turned->cosine.size()) return NAN;
    return trig == Trig::Cos ? turned->cosine[at] : turned->sine[at];
  };
  // A step may round its products, or their sum alone.
  model.step_error = 0x1p-23;
  return {{"angle-drift",
           "each row was made by turning the one before by row 1, in float32",
           "compute cos and sin of each position from its own angle; do not multiply up",
           3,
           std::move(model),
           {}}};
}

}  // namespace ropewalk::rope
