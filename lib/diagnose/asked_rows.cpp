#include "lib/diagnose/asked_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/diagnose/rotary_facts.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

std::vector<RowSpan> single_rows(const std::string& name, const std::vector<i64>& positions) {
  std::vector<RowSpan> spans;
  for (u64 n = 0; n < positions.size(); ++n) {
    spans.push_back({positions[n], positions[n] + 1, fmt::format("{}[{}] = {}", name, n, positions[n])});
  }
  return spans;
}

AskedRows hypothesis_of(const RotaryProblem& problem) {
  if (!problem.positions.empty()) return {single_rows("positions", problem.positions)};
  AskedRows asked;
  const bool all_alike = !problem.varlen() && problem.offsets.empty();
  for (i64 sequence = 0; sequence < (all_alike ? 1 : problem.sequences()); ++sequence) {
    const i64 offset = problem.offset_of_sequence(sequence), tokens = problem.tokens_of_sequence(sequence);
    if (tokens <= 0) continue;
    asked.spans.push_back({offset, offset + tokens,
                           fmt::format("offset {} + {} tokens{}", offset, tokens,
                                       all_alike ? "" : fmt::format(" of sequence {}", sequence))});
  }
  return asked;
}

// Extents that may be numbers of tokens: [B, T, H, D], [T, H, D], [T, D].
std::set<i64> token_counts(const Launch& launch) {
  std::set<i64> counts;
  for (const LaunchTensor& tensor : launch.tensors) {
    if (tensor.shape.size() < 2 || is_table(tensor) || !is_floating(tensor.dtype)) continue;
    const u64 others = tensor.shape.size() == 2 ? 1 : 2;
    for (u64 d = 0; d + others < tensor.shape.size(); ++d) counts.insert(tensor.shape[d]);
  }
  return counts;
}

std::vector<AskedRows> hypotheses_of_launch(const Launch& launch) {
  std::vector<AskedRows> hypotheses;
  for (const Integers& positions : integers_named(launch, {"position", "positions", "pos"})) {
    hypotheses.push_back({single_rows(positions.name, positions.values)});
  }
  const std::vector<Integers> offsets = integers_named(launch, {"offset", "offsets", "start", "starts"});
  const std::vector<ScalarInteger> scalars = scalar_integers(launch);
  std::map<i64, std::string> numbers{{0, "no offset"}};
  for (const ScalarInteger& scalar : scalars) {
    numbers.emplace(scalar.value, fmt::format("{} = {}", scalar.source, scalar.value));
  }
  for (const i64 tokens : token_counts(launch)) {
    // A single argument of that value is the number of tokens itself.
    const bool may_be_offset = std::ranges::count(scalars, tokens, &ScalarInteger::value) != 1;
    for (const Integers& array : offsets) {
      AskedRows asked{single_rows(array.name, array.values)};
      for (RowSpan& span : asked.spans) {
        span.end = span.first + tokens;
        span.text += fmt::format(" + {} tokens", tokens);
      }
      hypotheses.push_back(std::move(asked));
    }
    for (const auto& [offset, text] : numbers) {
      if (offset == tokens && !may_be_offset) continue;
      hypotheses.push_back({{{offset, offset + tokens, fmt::format("{} + {} tokens", text, tokens)}}, true});
    }
  }
  return hypotheses;
}

}  // namespace

bool AskedRows::contain(const std::vector<i64>& rows) const {
  std::vector<std::pair<i64, i64>> sorted;
  for (const RowSpan& span : spans) sorted.emplace_back(span.first, span.end);
  std::sort(sorted.begin(), sorted.end());
  u64 next = 0;
  i64 reach = INT64_MIN;  // the largest end of the spans that begin at or before the row
  for (const i64 row : rows) {
    for (; next < sorted.size() && sorted[next].first <= row; ++next) reach = std::max(reach, sorted[next].second);
    if (reach <= row) return false;
  }
  return true;
}

const RowSpan& AskedRows::highest() const {
  return *std::max_element(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
}

const RowSpan& AskedRows::lowest() const {
  return *std::min_element(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<AskedRows> hypotheses_of(const Scene& scene) {
  if (const RotaryProblem* problem = rotary_problem(scene)) return {hypothesis_of(*problem)};
  return hypotheses_of_launch(scene.launch);
}

std::vector<i64> rows_asked_for(const Scene& scene) {
  constexpr i64 most = i64(1) << 16;
  const RotaryProblem* problem = rotary_problem(scene);
  if (!problem) return {};
  std::set<i64> rows;
  for (const RowSpan& span : hypothesis_of(*problem).spans) {
    if (span.end - span.first > most || i64(rows.size()) > most) return {};
    for (i64 row = span.first; row < span.end; ++row) rows.insert(row);
  }
  return {rows.begin(), rows.end()};
}

std::optional<AskedRows> hypothesis_that_explains(const std::vector<i64>& touched_rows, i64 rows, bool complete,
                                                  const Scene& scene) {
  if (touched_rows.empty()) return std::nullopt;
  std::vector<AskedRows> fitting;
  for (AskedRows& asked : hypotheses_of(scene)) {
    if (asked.spans.empty()) continue;
    const bool reaches_high = asked.highest().end <= rows || touched_rows.back() == asked.highest().end - 1;
    const bool reaches_low = asked.lowest().first >= 0 || touched_rows.front() == asked.lowest().first;
    if (asked.contain(touched_rows) && (!complete || (reaches_high && reaches_low)))
      fitting.push_back(std::move(asked));
  }
  // Two hypotheses that ask for the same rows are one answer, in the words of the first.
  for (u64 n = 1; n < fitting.size(); ++n) {
    if (fitting[n].highest().end != fitting[0].highest().end ||
        fitting[n].lowest().first != fitting[0].lowest().first) {
      return std::nullopt;
    }
  }
  if (fitting.empty()) return std::nullopt;
  return std::move(fitting.front());
}

}  // namespace ropewalk::diagnose
