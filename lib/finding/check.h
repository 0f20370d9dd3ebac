// The checks that --checks names, as a set.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"
#include "lib/finding/list.h"

namespace ropewalk {

enum class Check : u8 { ROPEWALK_CHECKS(RW_ENUMERATOR) };
#define RW_CHECK(name) Check::name,

class CheckSet {
 public:
  constexpr CheckSet() = default;
  static constexpr CheckSet all() {
    CheckSet set;
    for (const Check check : {ROPEWALK_CHECKS(RW_CHECK)}) set.add(check);
    return set;
  }
  constexpr bool has(Check check) const { return (bits_ >> unsigned(check)) & 1u; }
  constexpr void add(Check check) { bits_ |= 1u << unsigned(check); }
  constexpr void remove(Check check) { bits_ &= ~(1u << unsigned(check)); }
  constexpr u32 bits() const { return bits_; }
  bool operator==(const CheckSet&) const = default;

 private:
  u32 bits_ = 0;
};

std::string_view name_of(Check check);
const std::vector<Check>& all_checks();
// "all", "none" or a list as "bounds,races"; "all,-races" leaves one out. Throws InputError that names the nearest
// known check.
CheckSet parse_checks(std::string_view text);
std::string text_of(CheckSet set);

}  // namespace ropewalk
