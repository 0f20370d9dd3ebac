// The tensors of a ring's ranks, "q.rank0", "q.rank1", ..., as parts of tensors of the whole sequence.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/problem/ring_order.h"

namespace ropewalk {

// Whether the launch is one of a ring.
bool is_ring(const Launch& launch);
// Whether the launch makes gradients, of a ring or not.
bool is_backward(const Launch& launch);

std::string name_of_rank(const std::string& tensor, i64 rank);
// What "out.rank3" is: "out" and 3; nullopt for names of no rank.
struct RankedName {
  std::string tensor;
  i64 rank = 0;
};
std::optional<RankedName> ranked_name(const std::string& name);

// The place in the whole sequence of a token of a rank.
using TokenPlace = std::function<i64(i64 rank, i64 token)>;
TokenPlace place_by(const RingOrder& order);

// By element of a rank's part [B, T, heads, columns] or [B, heads, T], row-major: its number in the tensor of the whole
// sequence of `ranks` parts.
std::vector<u64> elements_of_rank(const Shape& part, i64 ranks, i64 rank, const TokenPlace& place);

// What the parts hold at first, put together.
std::vector<double> whole_values(const Launch& launch, const std::string& tensor, i64 ranks, const TokenPlace& place);

}  // namespace ropewalk
