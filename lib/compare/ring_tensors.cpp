#include "lib/compare/ring_tensors.h"

#include <charconv>

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"

namespace ropewalk {
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

TokenPlace place_by(const RingOrder& order) {
  return [order](i64 rank, i64 token) { return order.place_of(rank, token); };
}

std::vector<u64> elements_of_rank(const Shape& part, i64 ranks, i64 rank, const TokenPlace& place) {
  const u64 dimension = part.size() == 3 ? 2 : 1;  // of tokens
  i64 outer = 1, inner = 1;
  for (u64 n = 0; n < dimension; ++n) outer *= part[n];
  for (u64 n = dimension + 1; n < part.size(); ++n) inner *= part[n];
  const i64 tokens = part[dimension];
  std::vector<u64> elements;
  elements.reserve(u64(outer * tokens * inner));
  for (i64 n = 0; n < outer; ++n) {
    for (i64 token = 0; token < tokens; ++token) {
      const i64 first = (n * tokens * ranks + place(rank, token)) * inner;
      for (i64 element = 0; element < inner; ++element) elements.push_back(u64(first + element));
    }
  }
  return elements;
}

std::vector<double> whole_values(const Launch& launch, const std::string& tensor, i64 ranks, const TokenPlace& place) {
  std::vector<double> whole;
  for (i64 rank = 0; rank < ranks; ++rank) {
    const LaunchTensor& part = tensor_of(launch, name_of_rank(tensor, rank).c_str());
    const std::vector<double> values = initial_values(part);
    const std::vector<u64> elements = elements_of_rank(part.shape, ranks, rank, place);
    whole.resize(values.size() * u64(ranks));
    for (u64 n = 0; n < values.size(); ++n) whole[elements[n]] = values[n];
  }
  return whole;
}

}  // namespace ropewalk
