// Covering arrays: few choices in which every combination of the values of any `strength` parameters occurs.
#pragma once
#include <vector>

#include "lib/generate/space.h"

namespace ropewalk::generate {

// The tuples of the values of every `strength` parameters, numbered: parameter sets in lexicographic order, within a
// set the values as digits, the last the fastest.
class Tuples {
 public:
  // `sizes` by parameter: how many values it has.
  Tuples(std::vector<u32> sizes, u32 strength);
  u32 strength() const { return strength_; }
  u64 count() const { return count_; }
  // Calls visit(number) for each tuple of the choice whose values are all listed ones.
  template <class Visit>
  void each(const Choice& choice, Visit visit) const {
    for (const Set& set : sets_) {
      u64 number = 0;
      bool listed = true;
      for (const u32 parameter : set.parameters) {
        listed = listed && choice[parameter] != drawn;
        number = number * sizes_[parameter] + choice[parameter];
      }
      if (listed) visit(set.first + number);
    }
  }

 private:
  friend std::vector<Choice> covering_array(const std::vector<u32>& sizes, u32 strength, Random random,
                                            const std::vector<Choice>& given);
  struct Set {
    std::vector<u32> parameters;
    u64 first = 0;  // number of its first tuple
  };
  std::vector<u32> sizes_;
  std::vector<Set> sets_;
  u32 strength_ = 0;
  u64 count_ = 0;
};

// Choices that together with `given` have every tuple of that strength. Greedy, one row at a time, each grown around a
// tuple that is still missing (the method of AETG: Cohen, Dalal, Fredman and Patton, IEEE TSE 23(7), 1997). Depends on
// the arguments alone.
std::vector<Choice> covering_array(const std::vector<u32>& sizes, u32 strength, Random random,
                                   const std::vector<Choice>& given = {});

}  // namespace ropewalk::generate
