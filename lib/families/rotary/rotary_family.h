// The family of rotary problems.
#pragma once
#include "lib/family/family.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

const Family& rotary_family();

}  // namespace ropewalk
