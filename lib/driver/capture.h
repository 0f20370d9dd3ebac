// A launch of a program as a launch file that stands by itself.
#pragma once
#include <optional>
#include <string>

#include "lib/launch/launch.h"

namespace ropewalk::driver {

struct Captured {
  Launch launch;
  std::vector<std::string> notes;  // what is not as it was in the program
};

// The launch with what its memory holds now, to be kept before it runs: nothing of it is resident.
Captured captured(const Launch& launch);

// Writes it into the folder, which is made where it does not exist. Returns the launch file's path. Throws InputError
// where that is impossible.
std::string write_captured(const Captured& captured, const std::string& folder, u64 number);

}  // namespace ropewalk::driver
