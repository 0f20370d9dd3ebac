// Whether the arguments of a launch fit the parameters of its entry.
#pragma once
#include "lib/launch/launch.h"

namespace ropewalk {

// Each argument must have its parameter's size; a pointer goes to a 64-bit parameter, a struct to one of the same
// bytes, a float not to an integer parameter nor the other way round. Parameters without an argument must be pointers
// (they are null). Throws InputError that names the argument's number, the parameter and both types.
void check_arguments(const Launch& launch);

}  // namespace ropewalk
