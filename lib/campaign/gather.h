// Puts the results of cases together in the order of the cases, whoever finishes first.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>

#include "lib/campaign/campaign.h"
#include "lib/campaign/examine.h"
#include "lib/campaign/subject.h"

namespace ropewalk::campaign {

// A case that was run, on its way into the result.
struct DoneCase {
  u64 subject = 0;  // which of the campaign's kernels
  Problem problem;
  u64 blocks = 0;
  generate::Choice choice;  // empty: of no combination of listed values
  u64 number = 0;           // in the whole campaign, of which this may be one shard; the corpus first
  bool aside = false;       // of the corpus: counts for no coverage
  Examined examined;
};

class Gatherer {
 public:
  Gatherer(const std::vector<std::unique_ptr<Subject>>& subjects, std::function<bool(const Finding&)> is_enough);

  // The case with this index in the campaign; indices are 0, 1, 2, ... without gaps. Any thread may call it.
  void add(u64 index, DoneCase done);
  void fill(Progress& progress);
  // What came of the cases that are done without a hole, and how many findings those have.
  State state();
  u64 findings();
  // Goes on from there; before the first case.
  void restore(const State& state);
  // Whether a finding was enough: what is added from now on is left out.
  bool has_enough() const { return enough_; }
  // After the last case; first_cases by finding.
  Result take(std::vector<FirstCase>* first_cases);

 private:
  void take_in(DoneCase& done);
  void cover(const DoneCase& done);

  const std::vector<std::unique_ptr<Subject>>& subjects_;
  const std::function<bool(const Finding&)> is_enough_;
  std::atomic<bool> enough_ = false;
  std::mutex mutex_;
  u64 next_ = 0;
  std::map<u64, DoneCase> waiting_;
  Result result_;
  std::vector<FirstCase> first_cases_;
  u64 covered_ = 0, coverable_ = 0;
  std::vector<std::vector<u64>> left_;  // by subject and strength: tuples that were not seen yet
};

}  // namespace ropewalk::campaign
