#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "lib/base/half.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/families/rotary/rotation.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// A hypothesis before its output is computed.
struct Draft {
  std::string cause, text, advice;
  Rotation rotation;
};

class Drafts {
 public:
  explicit Drafts(const Rotation& right) : right_(right), problem_(right.problem) {}

  std::vector<Draft> all() {
    of_layout();
    of_signs();
    of_positions();
    of_widths();
    of_table_rows();
    of_table_bits();
    of_rounding();
    return std::move(drafts_);
  }

 private:
  // Adds a hypothesis that is the right one as yet.
  Rotation& add(const std::string& cause, const std::string& text, const std::string& advice) {
    drafts_.push_back({cause, text, advice, right_});
    return drafts_.back().rotation;
  }

  void of_layout() {
    const bool half = problem_.layout == RotaryLayout::Half;
    const char* const is = half ? "half" : "interleaved";
    const char* const other = half ? "interleaved" : "half";
    Rotation& hypothesis = add(
        "layout-mixup", fmt::format("the layout is {}, and columns are paired as in the {} layout", is, other),
        fmt::format("pair columns as the weights were trained: {}", half ? "(c, c + width / 2)" : "(2 c, 2 c + 1)"));
    hypothesis.problem.layout = half ? RotaryLayout::Interleaved : RotaryLayout::Half;
  }

  void of_signs() {
    Rotation& hypothesis =
        add("sin-sign",
            fmt::format("the angle is taken {}: {} was asked for", problem_.backward ? "forward" : "backward",
                        problem_.backward ? "backward" : "forward"),
            "first' = first cos - second sin, second' = first sin + second cos; only the gradient has the other sign");
    hypothesis.problem.backward = !problem_.backward;
    Rotation& swapped = add("cos-sin-swapped", "cos is taken for sin, and sin for cos",
                            "hand cos and sin over in the order of the kernel's parameters");
    std::swap(swapped.cosine, swapped.sine);
  }

  // Adds a hypothesis of other positions, unless an earlier one has the same.
  void other_positions(const std::string& cause, const std::string& text, const std::string& advice,
                       std::vector<i64> positions) {
    if (positions == right_.positions) return;
    const auto is_same = [&](const Draft& draft) { return draft.rotation.positions == positions; };
    if (std::any_of(drafts_.begin(), drafts_.end(), is_same)) return;
    add(cause, text, advice).positions = std::move(positions);
  }

  // The position of each row by its sequence and its token; rows of no sequence keep -1.
  template <class Position>
  std::vector<i64> positions_by(Position position) const {
    std::vector<i64> positions(right_.positions.size(), -1);
    i64 row = 0;
    for (i64 sequence = 0; sequence < problem_.sequences(); ++sequence) {
      for (i64 token = 0; token < problem_.tokens_of_sequence(sequence); ++token, ++row) {
        if (row < i64(positions.size())) positions[u64(row)] = position(sequence, token, row);
      }
    }
    return positions;
  }

  void of_positions() {
    const char* const own = "a token's position is the offset of its sequence plus its number in the sequence";
    const auto offset = [&](i64 sequence) { return problem_.offset_of_sequence(sequence); };
    if (problem_.positions.empty()) {
      other_positions("position-ignored", "the offset is left out: sequences begin at position 0", own,
                      positions_by([](i64, i64 token, i64) { return token; }));
      other_positions("offset-doubled", "the offset is added twice", own,
                      positions_by([&](i64 s, i64 token, i64) { return 2 * offset(s) + token; }));
      other_positions("position-not-restarted", "positions go on from one sequence to the next", own,
                      positions_by([&](i64 s, i64, i64 row) { return offset(s) + row; }));
      other_positions("position-ignored", "all tokens of a sequence are at its first position", own,
                      positions_by([&](i64 s, i64, i64) { return offset(s); }));
      other_positions("offset-of-another-sequence", "the offset of the first sequence is taken for all", own,
                      positions_by([&](i64, i64 token, i64) { return offset(0) + token; }));
      other_positions("position-negated", "the offset is subtracted", own,
                      positions_by([&](i64 s, i64 token, i64) { return token - offset(s); }));
    } else {
      std::vector<i64> numbers(right_.positions.size());
      for (u64 n = 0; n < numbers.size(); ++n) numbers[n] = i64(n);
      other_positions("position-ignored", "the number of a token is taken for its position",
                      "read the position of each token from positions", std::move(numbers));
      other_positions("position-ignored", "all tokens are at position 0",
                      "read the position of each token from positions", std::vector<i64>(right_.positions.size(), 0));
    }
    for (const i64 shift : {i64(1), i64(-1)}) {
      std::vector<i64> shifted = right_.positions;
      for (i64& position : shifted) position = position < 0 ? -1 : position + shift;
      other_positions("position-shift", fmt::format("all positions are off by {:+}", shift),
                      "positions count from 0: the first token is not rotated", std::move(shifted));
    }
    const i64 rows = problem_.table_rows();
    std::vector<i64> wrapped = right_.positions;
    for (i64& position : wrapped) position = position < 0 ? position : position % rows;
    other_positions("position-wrap", fmt::format("positions wrap at the {} rows of the cache", rows),
                    "reject positions that the cache has no row for, or build it longer", std::move(wrapped));
  }

  void of_widths() {
    const i64 pairs = problem_.width() / 2, all = problem_.head_dim / 2;
    if (pairs >= all || problem_.head_dim % 2 || problem_.layout != RotaryLayout::Half) return;
    // Pairs of all columns, of which those past the width are rotated by nothing.
    Rotation& hypothesis = add("head-dim-for-rotary-dim",
                               fmt::format("the second column of a pair is {} away, half of head_dim, not {}, half of "
                                           "rotary_dim",
                                           all, pairs),
                               "pair columns by half of rotary_dim; columns from rotary_dim on are left alone");
    hypothesis.problem.rotary_dim = problem_.head_dim;
    const i64 rows = i64(right_.cosine.size()) / std::max<i64>(pairs, 1);
    hypothesis.cosine.assign(u64(rows * all), 1);
    hypothesis.sine.assign(u64(rows * all), 0);
    for (i64 n = 0; n < rows * pairs; ++n) {
      hypothesis.cosine[u64(n / pairs * all + n % pairs)] = right_.cosine[u64(n)];
      hypothesis.sine[u64(n / pairs * all + n % pairs)] = right_.sine[u64(n)];
    }
  }

  // Entries of the tables that are found where rows of another stride, or elements of another width, would have them.
  void of_table_rows() {
    const i64 pairs = problem_.width() / 2;
    for (const auto& [stride, what] :
         {std::pair{problem_.head_dim / 2, "half of head_dim"}, std::pair{problem_.head_dim, "head_dim"}}) {
      if (stride == pairs || stride == 0) continue;
      Rotation& hypothesis =
          add("wrong-stride",
              fmt::format("rows of cos and sin are taken to have {} columns ({}), and have {}", stride, what, pairs),
              "pass the strides of cos and sin themselves: their rows have rotary_dim / 2 columns");
      for (std::vector<double>* table : {&hypothesis.cosine, &hypothesis.sine}) {
        const std::vector<double> flat = *table;
        for (i64 n = 0; n < i64(flat.size()); ++n) {
          const i64 at = n / pairs * stride + n % pairs;
          (*table)[u64(n)] = at < i64(flat.size()) ? flat[u64(at)] : unknown;
        }
      }
    }
  }

  // Entries of the tables in the bits of another dtype.
  void of_table_bits() {
    const Dtype dtype = problem_.cache_dtype;
    const char* const advice = "choose the kernel by the dtype of cos and sin as well, or convert them first";
    if (dtype == Dtype::F32) {
      for (const Dtype other : {Dtype::BF16, Dtype::F16}) {
        Rotation& hypothesis =
            add("wrong-dtype-width",
                fmt::format("cos and sin are f32, and their bits are taken for {}", name_of(other)), advice);
        for (std::vector<double>* table : {&hypothesis.cosine, &hypothesis.sine}) *table = as_halves(*table, other);
      }
      return;
    }
    Rotation& hypothesis =
        add("wrong-dtype-width", fmt::format("cos and sin are {}, and their bits are taken for f32", name_of(dtype)),
            advice);
    for (std::vector<double>* table : {&hypothesis.cosine, &hypothesis.sine}) *table = as_floats(*table, dtype);
  }

  // Other roundings than those that are promised.
  void of_rounding() {
    const bool once = problem_.rounding == RotaryRounding::Once;
    Rotation& hypothesis =
        once ? add("steps-rounded",
                   fmt::format("cos and sin, each product and the sum are rounded to {}", name_of(problem_.dtype)),
                   "compute in f32, and round once, when the result is stored")
             : add("steps-not-rounded",
                   fmt::format("products and sum are kept in f32: the roundings to {} between the steps are left out",
                               name_of(problem_.dtype)),
                   "compute in f32 in both programs, so that a compiler has no rounding to leave out, or have it "
                   "keep them");
    hypothesis.problem.rounding = once ? RotaryRounding::Steps : RotaryRounding::Once;
  }

  static std::vector<double> as_halves(const std::vector<double>& table, Dtype dtype) {
    std::vector<double> read(table.size());
    for (u64 n = 0; n < table.size(); ++n) {
      const u32 bits = std::bit_cast<u32>(float(table[n / 2]));
      const u16 half = u16(n % 2 ? bits >> 16 : bits);
      read[n] = dtype == Dtype::BF16 ? double(bf16_to_f32(half)) : double(f16_to_f32(half));
    }
    return read;
  }

  static std::vector<double> as_floats(const std::vector<double>& table, Dtype dtype) {
    const auto bits = [&](u64 n) {
      return u32(dtype == Dtype::BF16 ? f32_to_bf16(float(table[n])) : f32_to_f16(float(table[n])));
    };
    std::vector<double> read(table.size(), unknown);
    for (u64 n = 0; 2 * n + 1 < table.size(); ++n) {
      read[n] = double(std::bit_cast<float>(bits(2 * n) | bits(2 * n + 1) << 16));
    }
    return read;
  }

  const Rotation& right_;
  const RotaryProblem& problem_;
  std::vector<Draft> drafts_;
};

// A table of both halves in which sin is looked for behind another number of rows, one of the launch's integers.
std::vector<Draft> sin_offset_drafts(const Rotation& right, const Launch& launch) {
  std::vector<Draft> drafts;
  const i64 pairs = right.problem.width() / 2, rows = right.problem.table_rows();
  if (launch.tensor_named("cos_sin") < 0) return drafts;
  std::vector<double> both = right.cosine;
  both.insert(both.end(), right.sine.begin(), right.sine.end());
  for (const diagnose::ScalarInteger& scalar : diagnose::scalar_integers(launch)) {
    if (scalar.value == rows || scalar.value < 0 || scalar.value > 2 * rows) continue;
    Draft draft{
        "wrong-sin-offset",
        fmt::format("sin is looked for from row {} on ({}), and begins at row {}", scalar.value, scalar.source, rows),
        fmt::format("pass the rows that this cache has ({})", rows), right};
    for (i64 n = 0; n < rows * pairs; ++n) {
      const u64 at = u64(n + scalar.value * pairs);
      draft.rotation.sine[u64(n)] = at < both.size() ? both[at] : unknown;
    }
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace

std::vector<diagnose::OutputHypothesis> rotation_hypotheses(const LaunchTensor& output, const RotaryProblem& problem,
                                                            const diagnose::Scene& scene) {
  const auto right = rotation_of(output, problem, scene.launch);
  if (!right) return {};
  std::vector<Draft> drafts = Drafts(*right).all();
  for (Draft& draft : sin_offset_drafts(*right, scene.launch)) drafts.push_back(std::move(draft));
  std::vector<diagnose::OutputHypothesis> hypotheses;
  for (const Draft& draft : drafts) {
    hypotheses.push_back({draft.cause, draft.text, draft.advice, draft.rotation.expected()});
    if (draft.rotation.problem.width() == problem.width()) continue;
    // Columns past the width are copied from x as well, before or after; in place they are a finding of their own.
    diagnose::Expected& expected = hypotheses.back().expected;
    for (u64 n = 0; n < expected.bound.size(); ++n) {
      if (i64(n) % problem.head_dim >= problem.width()) expected.bound[n] = diagnose::anything;
    }
  }
  return hypotheses;
}

}  // namespace ropewalk::rotary
