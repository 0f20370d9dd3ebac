#include "lib/compare/ring_tensors.h"

#include <charconv>

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/problem/attention.h"

namespace ropewalk::compare {
namespace {

constexpr std::string_view mark = ".rank";

}  // namespace

bool is_ring(const Launch& launch) { return launch.tensor_named("q.rank0") >= 0; }

bool is_backward(const Launch& launch) {
  return launch.tensor_named(is_ring(launch) ? name_of_rank("dq", 0) : "dq") >= 0;
}

std::string name_of_rank(const std::string& tensor, i64 rank) { return fmt::format("{}{}{}", tensor, mark, rank); }

std::optional<RankedName> ranked_name(const std::string& name) {
  const u64 at = name.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  RankedName ranked{name.substr(0, at), 0};
  const char* const digits = name.data() + at + mark.size();
  const auto [end, error] = std::from_chars(digits, name.data() + name.size(), ranked.rank);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return ranked;
}

RingPositions::RingPositions(const AttentionProblem& problem) : varlen_(problem.varlen()), tokens_(u64(problem.ranks)) {
  const i64 sequences = varlen_ ? problem.sequences() : 1, owned = varlen_ ? problem.cu_seqlens_q.back() : 0;
  for (i64 rank = 0; rank < problem.ranks; ++rank) {
    std::vector<i64>& tokens = tokens_[u64(rank)];
    for (i64 sequence = 0; sequence < sequences; ++sequence) {
      const RingOrder order = RingOrder::of(problem, sequence);
      const i64 first = problem.first_query_of(sequence);
      for (i64 token = 0; token < order.tokens; ++token) tokens.push_back(first + order.position_of(rank, token));
    }
    // Rows past the last sequence are nobody's, in any order.
    const i64 left_over = varlen_ ? (problem.query_tokens - owned) / problem.ranks : 0;
    for (i64 n = 0; n < left_over; ++n) tokens.push_back(owned + rank * left_over + n);
  }
}

u64 RingPositions::dimension_of_tokens(const Shape& part) const {
  const bool is_by_head = part.size() == (varlen_ ? 2 : 3);
  return is_by_head ? part.size() - 1 : part.size() - 3;
}

Shape RingPositions::part_like(Shape other) const {
  other[dimension_of_tokens(other)] = i64(tokens_.front().size());
  return other;
}

std::vector<u64> RingPositions::elements(const Shape& part, i64 rank) const {
  const u64 dimension = dimension_of_tokens(part);
  i64 outer = 1, inner = 1;
  for (u64 n = 0; n < dimension; ++n) outer *= part[n];
  for (u64 n = dimension + 1; n < part.size(); ++n) inner *= part[n];
  const i64 all_tokens = part[dimension] * i64(tokens_.size());
  std::vector<u64> elements;
  elements.reserve(u64(element_count(part)));
  for (i64 n = 0; n < outer; ++n) {
    for (const i64 token : tokens_[u64(rank)]) {
      const i64 first = (n * all_tokens + token) * inner;
      for (i64 element = 0; element < inner; ++element) elements.push_back(u64(first + element));
    }
  }
  return elements;
}

std::vector<double> RingPositions::whole_values(const Launch& launch, const std::string& tensor) const {
  std::vector<double> whole;
  for (i64 rank = 0; rank < i64(tokens_.size()); ++rank) {
    const LaunchTensor& part = tensor_of(launch, name_of_rank(tensor, rank).c_str());
    const std::vector<double> values = initial_values(part);
    const std::vector<u64> of_part = elements(part.shape, rank);
    whole.resize(values.size() * tokens_.size());
    for (u64 n = 0; n < values.size(); ++n) whole[of_part[n]] = values[n];
  }
  return whole;
}

}  // namespace ropewalk::compare
