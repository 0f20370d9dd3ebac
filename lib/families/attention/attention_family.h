// The family of attention problems.
#pragma once
#include "lib/family/family.h"
#include "lib/problem/attention.h"

namespace ropewalk {

const Family& attention_family();

}  // namespace ropewalk
