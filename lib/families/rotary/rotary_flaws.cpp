#include "lib/families/rotary/rotary_flaws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/generate/parts_of.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

using generate::Flaw;
using generate::flaw_of;

namespace {

using Rotary = RotaryProblem;

// The widths that callers pass by mistake: a pair or a column too many, twice the head, the width of the model.
void add_widths(std::vector<Flaw>& flaws) {
  const auto add = [&](i64 (*width_of)(const Rotary&)) {
    flaws.push_back(flaw_of<Rotary>(
        "a rotary_dim over head_dim",
        [=](Rotary& p, Random&) {
          p.rotary_dim = width_of(p);
          return p.rotary_dim > p.head_dim;
        },
        [](const Rotary& p) { return p.width() > p.head_dim; }));
  };
  add([](const Rotary& p) { return p.head_dim + 2; });
  add([](const Rotary& p) { return p.head_dim + 1; });
  add([](const Rotary& p) { return 2 * p.head_dim; });
  add([](const Rotary& p) { return p.heads * p.head_dim; });
}

bool make_odd(Rotary& problem, Random&) {
  if (problem.width() < 3) return false;
  problem.rotary_dim = problem.width() - 1;
  return true;
}

// Of a whole head, whose last pair then ends in the next one.
bool make_head_odd(Rotary& problem, Random&) {
  problem.head_dim = std::max<i64>(1, problem.head_dim - 1) | 1;
  problem.rotary_dim = problem.head_dim;
  return true;
}

i64 rows_needed(const Rotary& problem) {
  Rotary open = problem;
  open.cache_rows = 0;
  return open.table_rows();
}

bool shorten_cache(Rotary& problem, Random& random) {
  if (rows_needed(problem) < 2) return false;
  const i64 rows = rows_needed(problem);
  problem.cache_rows = rows - (random.below(2) ? 1 : random.between(1, rows - 1));
  return true;
}

// Rows that a position, or a token of some sequence, needs beyond those that the cache has.
bool cache_is_short(const Rotary& problem) {
  if (!problem.cache_rows) return false;
  if (!problem.positions.empty()) {
    return std::any_of(problem.positions.begin(), problem.positions.end(),
                       [&](i64 position) { return position >= problem.cache_rows; });
  }
  for (i64 n = 0; n < problem.sequences(); ++n) {
    if (problem.offset_of_sequence(n) + problem.tokens_of_sequence(n) > problem.cache_rows) return true;
    if (!problem.varlen() && problem.offsets.empty()) break;
  }
  return false;
}

bool has_negative(const std::vector<i64>& values) {
  return std::any_of(values.begin(), values.end(), [](i64 value) { return value < 0; });
}

bool offset_before_start(Rotary& problem, Random& random) {
  if (!problem.positions.empty()) return false;
  problem.cache_rows = problem.cache_rows ? problem.cache_rows : problem.table_rows();
  const i64 before = random.below(2) ? -1 : -random.between(1, problem.tokens);
  if (problem.offsets.empty()) {
    problem.offset = before;
  } else {
    problem.offsets[random.below(problem.offsets.size())] = before;
  }
  return true;
}

bool is_offset_negative(const Rotary& problem) {
  if (!problem.positions.empty()) return false;
  return problem.offsets.empty() ? problem.offset < 0 : has_negative(problem.offsets);
}

Flaw wrong_dimension(const std::string& name, i64 Rotary::*field) {
  return flaw_of<Rotary>(
      name + " below 1",
      [=](Rotary& problem, Random& random) {
        problem.*field = random.below(2) ? 0 : -1;
        return true;
      },
      [=](const Rotary& problem) { return problem.*field < 1; });
}

// The largest angle is well below what f32 holds, or theta is no number.
bool has_no_angles(const Rotary& problem) {
  if (problem.head_dim < 1 || problem.width() < 1 || !(problem.theta > 0)) return false;
  return !std::isfinite(problem.theta) || problem.largest_angle() > 1e38;
}

bool has_kernel(Dtype dtype) { return dtype == Dtype::F32 || dtype == Dtype::F16 || dtype == Dtype::BF16; }

void add_common(std::vector<Flaw>& flaws, bool cache_only) {
  for (const auto make : {make_odd, make_head_odd}) {
    flaws.push_back(flaw_of<Rotary>("an odd rotary_dim", make, [](const Rotary& p) { return p.width() % 2 != 0; }));
  }
  flaws.push_back(wrong_dimension("T", &Rotary::tokens));
  flaws.push_back(wrong_dimension("D", &Rotary::head_dim));
  flaws.push_back(flaw_of<Rotary>(
      "theta of 0 or less",
      [](Rotary& p, Random& random) {
        p.theta = random.below(2) ? 0 : -10000;
        return true;
      },
      [](const Rotary& p) { return !(p.theta > 0); }));
  flaws.push_back(flaw_of<Rotary>(
      "a theta whose angles f32 does not hold",
      [](Rotary& p, Random& random) {
        p.theta = random.below(2) ? 1e-300 : std::numeric_limits<double>::infinity();
        return has_no_angles(p);
      },
      has_no_angles));
  flaws.push_back(flaw_of<Rotary>(
      "a dtype that no kernel has",
      [=](Rotary& p, Random&) {
        (cache_only ? p.cache_dtype : p.dtype) = Dtype::F64;
        return true;
      },
      [=](const Rotary& p) { return !has_kernel(p.cache_dtype) || (!cache_only && !has_kernel(p.dtype)); }));
}

void add_of_rows(std::vector<Flaw>& flaws) {
  add_widths(flaws);
  flaws.push_back(flaw_of<Rotary>("a cache with too few rows", shorten_cache, cache_is_short));
  flaws.push_back(flaw_of<Rotary>("a negative offset", offset_before_start, is_offset_negative));
  flaws.push_back(wrong_dimension("B", &Rotary::batch));
  flaws.push_back(wrong_dimension("H", &Rotary::heads));
  flaws.push_back(flaw_of<Rotary>(
      "a negative gap",
      [](Rotary& p, Random& random) {
        (random.below(2) ? p.row_gap : p.token_gap) = -1;
        return true;
      },
      [](const Rotary& p) { return p.row_gap < 0 || p.token_gap < 0 || p.out_gap < 0; }));
  flaws.push_back(flaw_of<Rotary>(
      "cos and sin in another 16-bit format than x",
      [](Rotary& p, Random& random) {
        p.dtype = random.below(2) ? Dtype::F16 : Dtype::BF16;
        p.cache_dtype = p.dtype == Dtype::F16 ? Dtype::BF16 : Dtype::F16;
        return true;
      },
      [](const Rotary& p) {
        return has_kernel(p.dtype) && has_kernel(p.cache_dtype) && p.cache_dtype != Dtype::F32 &&
               p.cache_dtype != p.dtype;
      }));
}

void add_of_sequences(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Rotary>(
      "gaps of an out that there is not",
      [](Rotary& p, Random& random) {
        p.inplace = true;
        p.out_gap = random.between(1, 20);
        return true;
      },
      [](const Rotary& p) { return p.inplace && p.out_gap > 0; }));
  flaws.push_back(flaw_of<Rotary>(
      "cu_seqlens that do not start at 0",
      [](Rotary& p, Random& random) {
        if (!p.varlen()) return false;
        p.cu_seqlens.front() = random.below(2) ? 1 : -1;
        return true;
      },
      [](const Rotary& p) { return p.varlen() && p.cu_seqlens.front() != 0; }));
  flaws.push_back(flaw_of<Rotary>(
      "cu_seqlens that decrease",
      [](Rotary& p, Random&) {
        if (p.cu_seqlens.size() < 3 || p.tokens < 2) return false;
        p.cu_seqlens[1] = p.tokens;
        p.cu_seqlens[2] = p.tokens - 1;
        return true;
      },
      [](const Rotary& p) { return !std::is_sorted(p.cu_seqlens.begin(), p.cu_seqlens.end()); }));
  flaws.push_back(flaw_of<Rotary>(
      "cu_seqlens past the rows of x",
      [](Rotary& p, Random& random) {
        if (!p.varlen()) return false;
        p.cu_seqlens.back() = p.tokens + random.between(1, 4);
        return true;
      },
      [](const Rotary& p) {
        return p.varlen() && *std::max_element(p.cu_seqlens.begin(), p.cu_seqlens.end()) > p.tokens;
      }));
  flaws.push_back(flaw_of<Rotary>(
      "offsets for another number of sequences",
      [](Rotary& p, Random& random) {
        if (p.offsets.size() > 1 && random.below(2)) {
          p.offsets.pop_back();
        } else {
          p.offsets.resize(u64(p.sequences()) + 1, 0);
        }
        return true;
      },
      [](const Rotary& p) { return !p.offsets.empty() && i64(p.offsets.size()) != p.sequences(); }));
}

void add_of_positions(std::vector<Flaw>& flaws) {
  flaws.push_back(flaw_of<Rotary>(
      "a negative position",
      [](Rotary& p, Random& random) {
        if (p.positions.empty()) return false;
        p.positions[random.below(p.positions.size())] = random.below(2) ? -1 : -random.between(1, 50);
        return true;
      },
      [](const Rotary& p) { return has_negative(p.positions); }));
  flaws.push_back(flaw_of<Rotary>(
      "positions for another number of tokens",
      [](Rotary& p, Random&) {
        if (p.positions.empty()) return false;
        p.positions.push_back(0);
        return true;
      },
      [](const Rotary& p) { return !p.positions.empty() && i64(p.positions.size()) != p.batch * p.tokens; }));
  flaws.push_back(flaw_of<Rotary>(
      "another batch for k than for q",
      [](Rotary& p, Random& random) {
        if (!p.key_heads) return false;
        p.key_batch = p.batch > 1 && random.below(2) ? p.batch - 1 : p.batch + random.between(1, 3);
        return true;
      },
      [](const Rotary& p) { return p.key_batch < 0 || p.batch_of_keys() != p.batch; }));
  flaws.push_back(flaw_of<Rotary>(
      "key_heads below 0",
      [](Rotary& p, Random&) {
        p.key_heads = -1;
        return true;
      },
      [](const Rotary& p) { return p.key_heads < 0; }));
  flaws.push_back(flaw_of<Rotary>(
      "a k of other batches than q",
      [](Rotary& p, Random& random) {
        if (p.key_heads < 1 || !p.positions.empty()) return false;
        p.key_batch = p.batch > 1 && random.below(2) ? p.batch - 1 : p.batch + 1;
        return true;
      },
      [](const Rotary& p) { return p.key_batch && p.key_batch != p.batch; }));
}

}  // namespace

std::vector<Flaw> rotary_flaws(RotaryTask task) {
  std::vector<Flaw> flaws;
  add_common(flaws, task == RotaryTask::Cache);
  if (task == RotaryTask::Cache) return flaws;
  add_of_rows(flaws);
  if (task == RotaryTask::Apply) add_of_sequences(flaws);
  if (task == RotaryTask::Keys) add_of_positions(flaws);
  return flaws;
}

}  // namespace ropewalk::rotary
