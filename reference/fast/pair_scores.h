// From products of q and k to scores, with the error that each may show; the derivations stand in attention_bound.h.
#pragma once
#include "reference/fast/kernels.h"
#include "reference/fast/lanes.h"
#include "reference/kernel_rounding.h"

namespace ropewalk::reference {
namespace RW_INSTRUCTION_SET {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

RW_LANE Doubles within(Doubles key, i64 first, i64 last, Doubles inside, Doubles outside) {
  return key < double(first) ? outside : (key < double(last) ? inside : outside);
}

RW_LANE Doubles bias_of(const ScoreRules& rules, const ScoreRow& row, Doubles key) {
  return rules.biased ? row.slope * size_of(row.own_key - key) : Doubles{};
}

// Before the bias.
RW_LANE Doubles capped_score(const ScoreRules& rules, Doubles product) {
  const Doubles score = rules.scale * product;
  return rules.softcap > 0 ? rules.softcap * tanh_of(score / rules.softcap) : score;
}

// -inf where the key is not counted.
RW_LANE Doubles masked(const ScoreRules& rules, const ScoreRow& row, Doubles key, Doubles score) {
  score = within(key, row.first_visible, row.last_visible, score, all_of(rules.masked_score));
  if (rules.masked_score == -infinity) return score;
  return within(key, row.first_counted, row.last_counted, score, all_of(-infinity));
}

// 0 for keys that are not counted, by their scores.
RW_LANE Doubles counted_only(Doubles score, Doubles all) { return score != -infinity ? all : Doubles{}; }

// Of the score of keys from `at` on.
RW_LANE Doubles score_error(const ScoreRules& rules, const ScoreRow& row, i64 at, Doubles key, Doubles score,
                            Doubles bias) {
  Doubles error = row.length * load(row.key_lengths + at) + rules.underflow;
  if (rules.softcap > 0) error += 8 * kernel_roundoff * size_of(score + bias);
  if (rules.biased) error += 2 * kernel_roundoff * (size_of(bias) + size_of(score));
  if (rules.masked_score == -infinity) return error;
  return within(key, row.first_visible, row.last_visible, error, Doubles{});
}

// e^x - 1 <= x (1 + x) up to 1; what is beyond has no bound worth the name.
RW_LANE Doubles relative_of_exponent(Doubles error) { return error <= 1.0 ? error * (1.0 + error) : all_of(infinity); }

}  // namespace RW_INSTRUCTION_SET
}  // namespace ropewalk::reference
