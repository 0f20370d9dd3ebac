// What the sentence of a finding is made of.
#pragma once
#include <string>

#include "lib/finding/finding.h"
#include "lib/launch/launch.h"
#include "lib/machine/collector.h"

namespace ropewalk::machine {

class Wording {
 public:
  // touched: the tensor of the access; nullptr: none. size: what is said of the memory that has no name, ", which has
  // 256 bytes".
  Wording(const Finding& of, const Collected& all, const LaunchTensor* touched, std::string size = {});

  std::string verb() const;     // of the access: "reads", "writes"; "touches" where nobody noted it
  std::string bytes() const;    // "4 bytes"
  std::string element() const;  // "out[3, 5]"
  std::string where() const;    // "inside out [4, 16]", "8 bytes past the end of it"
  // What bytes are not that lie in the tensor's window and in no region, or in a gap.
  std::string not_in() const;

  const Finding& finding;
  const Collected& collected;
  const Occurrence& example;
  const Access access;  // with nothing in it where the finding has none

 private:
  const LaunchTensor* const tensor_;
  const std::string size_;
};

}  // namespace ropewalk::machine
