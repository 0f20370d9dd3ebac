// Why a problem is rejected, a line for each reason: what the preconditions of a kernel are written with.
#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::kernels {

// What kernels count in.
constexpr i64 int_limit = (i64(1) << 31) - 1;
constexpr i64 row_limit = i64(1) << 30;   // rows that are added as int
constexpr i64 byte_limit = i64(1) << 40;  // of one tensor

class ReasonList {
 protected:
  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    reasons_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  // A number of the problem that must lie in [low, high].
  void between(const std::string& name, i64 value, i64 low, i64 high) {
    if (value < low) {
      say("{} is {}, it must be at least {}", name, value, low);
    } else if (value > high) {
      say("{} is {}, it may be at most {}", name, value, high);
    }
  }

  std::vector<std::string> reasons_;
};

}  // namespace ropewalk::kernels
