// The kinds of steps that problems of every kind are minimized by.
#pragma once
#include <vector>

#include "lib/shrink/numbers.h"

namespace ropewalk::shrink {

template <class Problem>
class ProblemSteps {
 public:
  explicit ProblemSteps(const Problem& problem) : problem_(problem) {}

  // A flag or a word goes back to its plainest.
  template <class Field>
  void clear(Field Problem::*field) {
    const Problem plain;
    if (problem_.*field != plain.*field) add().*field = plain.*field;
  }

  void number(i64 Problem::*field, i64 least) {
    for (const i64 value : smaller_numbers(problem_.*field, least)) add().*field = value;
  }

  // A list goes away, an entry goes away, an entry becomes smaller.
  void list(std::vector<i64> Problem::*field) {
    const std::vector<i64>& values = problem_.*field;
    if (!values.empty()) (add().*field).clear();
    for (u64 n = 0; n < values.size(); ++n) {
      Problem& without = add();
      (without.*field).erase((without.*field).begin() + i64(n));
    }
    for (u64 n = 0; n < values.size(); ++n) {
      for (const i64 value : smaller_numbers(values[n], 0)) (add().*field)[n] = value;
    }
  }

  std::vector<Problem> take() {
    std::erase(all_, problem_);
    return std::move(all_);
  }

 protected:
  // One more problem, which is this one as yet.
  Problem& add() { return all_.emplace_back(problem_); }

  const Problem& problem_;

 private:
  std::vector<Problem> all_;
};

}  // namespace ropewalk::shrink
