// Where the shared and the local memory of a function begin and end, as instructions can find out; inside of lib/ptx
// only.
#pragma once
#include <map>
#include <vector>

#include "lib/ptx/builder.h"

namespace ropewalk::ptx {

// Variables of one space that lie somewhere beside each other, in an order that only the assembler knows. What lies
// between the lowest and the end of the highest belongs to the function. Dynamic shared memory ends where the launch
// says. What sizes of accesses need is worked out once, where the function begins.
class Extent {
 public:
  Extent(const Module& module, const Function& function, Space space);

  bool is_empty() const { return variables_.empty(); }
  // Notes that an access of that many bytes is checked, by an address of that type (B32 or B64).
  void need(u32 bytes, Type type) { needed_[{bytes, type}] = true; }
  // Emits what the accesses need: to stand at the beginning of the function, once.
  void prepare(Builder& builder, u32 table) const;
  // The register that holds the lowest address, as it serves for messages.
  u32 low(Builder& builder, Type type) const;
  // Emits the comparison of `address` with the bounds: predicate `bad` becomes true where the access is outside, or
  // where `misaligned` is (no_predicate: nothing to add).
  void compare(Builder& builder, u32 address, Type type, u32 bytes, u32 bad, u32 misaligned) const;

 private:
  std::string name(const char* what, u32 bytes, Type type) const;
  bool is_static() const;  // one variable of known size

  Space space_;
  std::vector<u32> variables_;
  std::vector<u64> bytes_;  // by variable; 0: dynamic
  std::map<std::pair<u32, Type>, bool> needed_;
};

}  // namespace ropewalk::ptx
