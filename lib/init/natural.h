// Natural numbers of any size: there are more orders of events than 64 bits can count.
#pragma once
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::init {

class Natural {
 public:
  Natural(u64 value = 0);
  Natural& operator+=(const Natural& other);
  Natural operator*(const Natural& other) const;
  bool operator==(const Natural&) const = default;
  bool is_zero() const { return digits_.empty(); }
  // In decimal digits, in groups of three: "20,160"; from 10^15 on "1.2e+38".
  std::string text() const;
  // (n over k).
  static Natural binomial(u64 n, u64 k);

 private:
  void trim();
  // Exact division by a number that divides.
  void divide(u32 divisor);

  static constexpr u64 base = 1000000000;
  std::vector<u32> digits_;  // the lowest first
};

}  // namespace ropewalk::init
