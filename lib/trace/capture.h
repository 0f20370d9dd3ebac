// A traced launch as a launch of ours, with its PTX and what its memory held.
#pragma once
#include <memory>
#include <string>

#include "lib/launch/launch.h"
#include "lib/trace/arguments.h"

namespace ropewalk::trace {

struct Captured {
  Launch launch;
  std::vector<std::string> notes;  // what is not as it was in the program
};

// Each allocation that an argument points into becomes a tensor that covers it, of the type that the kernel mostly
// reads or writes there where size and offset allow, with the bytes that were saved. Memory that had been given back is
// a freed tensor. `folder` holds what the snapshot saved. Throws InputError where the launch cannot be captured, with
// the reason.
Captured capture(const Snapshot& snapshot, const TracedLaunch& launch, std::shared_ptr<const ptx::Module> module,
                 const std::string& folder);

}  // namespace ropewalk::trace
