// A launch of a program as a launch file that stands by itself.
#pragma once
#include <string>
#include <utility>

#include "lib/finding/finding.h"
#include "lib/launch/launch.h"

namespace ropewalk::driver {

// The launch with what its memory holds now, to be kept before it runs: nothing of it is resident. Of its tensors those
// are kept that its arguments and variables reach; where the kernel follows pointers, also by way of memory: each
// aligned word that is an address of the launch's memory is one there, too. Throws InputError where that is more than
// most_captured bytes.
Launch captured(const Launch& launch, bool follows_pointers);
constexpr u64 most_captured = u64(4) << 30;

// A launch that is written to a file once somebody needs it.
class CapturedLaunch {
 public:
  // Of what runs next, as captured() keeps it. folder: is made where it does not exist. count: of the launches that
  // were written to it so far.
  CapturedLaunch(const Launch& launch, bool follows_pointers, std::string folder, u64& count);

  void write();
  // Names the file in a finding, or says why there is none.
  void add_replay(Finding& finding);
  const std::string& path() const { return path_; }  // "": it was not written, or could not be
  const std::string& why_not() const { return why_not_; }

 private:
  Launch launch_;
  const std::string folder_;
  u64& count_;
  std::string path_, why_not_;
};

}  // namespace ropewalk::driver
