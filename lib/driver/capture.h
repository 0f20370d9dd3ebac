// A launch of a program as a launch file that stands by itself.
#pragma once
#include <string>

#include "lib/launch/launch.h"

namespace ropewalk::driver {

// The launch with what its memory holds now, to be kept before it runs: nothing of it is resident. Of its tensors those
// are kept that its arguments and variables reach; where the kernel follows pointers, also by way of memory: each
// aligned word that is an address of the launch's memory is one there, too.
Launch captured(const Launch& launch, bool follows_pointers);

// Writes it into the folder, which is made where it does not exist. Returns the launch file's path. Throws InputError
// where that is impossible.
std::string write_captured(const Launch& captured, const std::string& folder, u64 number);

}  // namespace ropewalk::driver
