// The family of attention problems.
#pragma once
#include "lib/family/family.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

const Family& family();

}  // namespace ropewalk::attention
