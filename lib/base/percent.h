// Shares as percentages that say 100 only of all, and 0 only of nothing.
#pragma once
#include <string>

namespace ropewalk {

// 100 x share with so many decimals, and more where it would else read as 100 or as 0 though it is not: "99.996" of
// 0.99996 with one decimal. Without the sign.
std::string percent_fixed(double share, int decimals);

// The same with so many significant digits, without zeros at the end.
std::string percent_rounded(double share, int digits);

}  // namespace ropewalk
