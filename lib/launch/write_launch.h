// A launch back into the files that it can be read from.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "lib/launch/launch.h"

namespace ropewalk {

struct WrittenLaunch {
  std::string text;                                        // of the launch file
  std::vector<std::pair<std::string, std::string>> files;  // name beside the launch file and contents: the PTX, arrays
};

// Reading `text` with `files` beside it gives the same launch. Names of the files begin with `stem`. Small arrays stand
// in the text, others become .npy files (bf16 and fp8 as their bits).
WrittenLaunch write_launch(const Launch& launch, const std::string& stem);

// Writes the launch file and what belongs to it into the folder of `path`. Throws InputError where that is impossible.
void write_launch_file(const Launch& launch, const std::string& path);

}  // namespace ropewalk
