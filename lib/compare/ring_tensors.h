// The tensors of a ring's ranks, "q.rank0", "q.rank1", ..., as parts of tensors of all ranks' tokens.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::compare {

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

// Where the tokens of each rank are among those of all. Parts are [B, T, heads, columns] or [B, heads, T], with
// cu_seqlens [T, heads, columns] or [heads, T], with T tokens of the rank; whole tensors have those of all in
// order.
class RingPositions {
 public:
  // Of a problem whose tokens the ranks share evenly.
  explicit RingPositions(const AttentionProblem& problem);

  // The shape of a part of another ring, as a part of this one.
  Shape part_like(Shape other) const;
  // By element of a rank's part, row-major: its number in the whole tensor.
  std::vector<u64> elements(const Shape& part, i64 rank) const;
  // What the parts hold at first, put together.
  std::vector<double> whole_values(const Launch& launch, const std::string& tensor) const;

 private:
  u64 dimension_of_tokens(const Shape& part) const;

  const bool varlen_;
  std::vector<std::vector<i64>> tokens_;  // by rank and token: the number among the tokens of all
};

}  // namespace ropewalk::compare
