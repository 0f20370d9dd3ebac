// Ways to write to a KV cache, the right one and wrong ones: which elements go where, and how they are rounded.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/diagnose/output_hypothesis.h"
#include "lib/diagnose/predicted.h"
#include "lib/families/cache_store/cache_store_problem.h"

namespace ropewalk::cache_store {

struct StoreHypothesis {
  // Neighbouring elements that go from one offset to another; offsets count from the start of the storage. An offset
  // that is not known is none.
  struct Move {
    i64 from = 0;
    std::optional<i64> to;
    i64 count = 0;
  };
  std::string cause, text, advice;
  std::vector<Move> moves;  // of key to key_cache, or inside of it; value and value_cache alike
  i64 entries = 0;          // of slot_mapping, or of copies, that are read
  float k_scale = 1, v_scale = 1;
  double (*rounded)(double value, float scale) = nullptr;  // null: as it is
};

// The right one; also of lists that nobody has looked at.
StoreHypothesis right_store(const CacheStoreProblem& problem);
// The wrong ones that differ from it.
std::vector<StoreHypothesis> wrong_stores(const CacheStoreProblem& problem);

// What a hypothesis touches of a tensor of the launch.
diagnose::Prediction touched_by(const StoreHypothesis& hypothesis, const LaunchTensor& tensor,
                                const CacheStoreProblem& problem);

// Elements of key_cache or value_cache, as footprints have them, that two moves write, or one writes and another reads.
std::set<i64> contested_by(const StoreHypothesis& hypothesis, const LaunchTensor& cache,
                           const CacheStoreProblem& problem);

// Wrong hypotheses of key_cache or value_cache; empty for other tensors.
std::vector<diagnose::OutputHypothesis> cache_store_hypotheses(const LaunchTensor& output,
                                                               const CacheStoreProblem& problem,
                                                               const diagnose::Scene& scene);

// Whether a problem is small enough for all hypotheses to be tried.
bool is_small_store(const CacheStoreProblem& problem);

}  // namespace ropewalk::cache_store
