// A hypothesis of a cache as what it touches of k, v and the block table.
#pragma once
#include "lib/diagnose/predicted.h"
#include "lib/families/attention/page_hypotheses.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

class CacheWalk {
 public:
  CacheWalk(const AttentionProblem& problem, const Launch& launch, const PageHypothesis& hypothesis);
  // Of "k", "v" or "block_table". Nothing is predicted where the pages come from beside the table.
  diagnose::Prediction of(const LaunchTensor& tensor) const;

 private:
  AttentionProblem::Range keys_of(i64 sequence) const;
  template <class Visit>
  void each_key(Visit visit) const;
  diagnose::Prediction of_table(const LaunchTensor& table) const;
  diagnose::Prediction of_rows(const LaunchTensor& tensor) const;

  AttentionProblem problem_;
  const Launch& launch_;
  const PageHypothesis& hypothesis_;
};

}  // namespace ropewalk::attention
