// Output tensors as .npy files.
#pragma once
#include <string>

#include "lib/launch/outcome.h"

namespace ropewalk::tools {

// Writes every tensor that the launch marks as an output to FOLDER/NAME.npy, without its gaps; bf16 and fp8 are widened
// to f32. The folder must be there. Throws InputError where a file cannot be written.
void save_outputs(const std::string& folder, const Launch& launch, const Outcome& outcome);

}  // namespace ropewalk::tools
