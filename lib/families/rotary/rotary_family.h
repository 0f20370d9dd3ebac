// The family of rotary problems.
#pragma once
#include "lib/family/family.h"
#include "lib/problem/rotary.h"

namespace ropewalk::rotary {

const Family& family();

}  // namespace ropewalk::rotary
