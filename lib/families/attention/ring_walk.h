// What the ranks of a ring come to if they walk around it in another way, put together from the reference's answers for
// parts of the queries and parts of the keys.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lib/families/attention/attention_case.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::attention {

// How outputs of steps are merged.
enum class RingMerge : u8 {
  Right,
  Summed,       // outputs are added as they are
  NotRescaled,  // what was there keeps its weight, the new part has its own
  NotWeighted,  // what was there is rescaled, the new part is added as it is
  Mean,         // of the steps that saw anything
  Last          // the last step that saw anything replaces those before
};

struct RingWalk {
  std::vector<i64> steps;  // in their order
  // Where tokens are taken to be; empty: where they are. Keys that are taken to be past the end of the sequence are not
  // seen.
  std::function<i64(i64 rank, i64 token)> query_position;
  std::function<i64(i64 rank, i64 source, i64 token)> key_position;
  RingMerge merge = RingMerge::Right;
  double lse_factor = 1;       // of a step's lse, before it is merged
  bool sink_in_steps = false;  // each step counts the sink, and nothing else does
  // A step that sees nothing makes NaN of a row: any step, or one that comes before there was anything to see.
  bool nan_of_blind_steps = false, nan_of_blind_start = false;
};

// Of a case without cu_seqlens.
class RingParts {
 public:
  explicit RingParts(const AttentionCase& right);

  // "out" and "lse" of a rank, or "dq", or "dk" and "dv", in the shapes of its tensors.
  std::map<std::string, diagnose::Expected> forward(const RingWalk& walk, i64 rank);
  std::map<std::string, diagnose::Expected> queries_backward(const RingWalk& walk, i64 rank);
  std::map<std::string, diagnose::Expected> keys_backward(const RingWalk& walk, i64 rank);

 private:
  // Tokens of a rank that follow each other in the whole sequence, and are taken to do so somewhere else.
  struct Run {
    i64 first = 0, count = 0;     // of the rank's tokens
    i64 position = 0, taken = 0;  // of the first one
  };
  std::vector<Run> query_runs(const RingWalk& walk, i64 rank) const;
  std::vector<Run> key_runs(const RingWalk& walk, i64 rank, i64 source) const;
  template <class Taken>
  std::vector<Run> runs_of(i64 rank, Taken taken) const;
  const std::map<std::string, diagnose::Expected>& part(const Run& queries, const Run& keys);
  std::vector<double> cut(const std::vector<double>& whole, i64 outer, const Run& run) const;
  void round(diagnose::Expected& expected) const;

  const AttentionCase& right_;
  const AttentionProblem& problem_;
  const RingOrder order_;
  std::map<std::tuple<i64, i64, i64, i64, i64>, std::map<std::string, diagnose::Expected>> parts_;
};

}  // namespace ropewalk::attention
