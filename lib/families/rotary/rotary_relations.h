// The metamorphic relations of rotary problems.
#pragma once
#include <vector>

#include "lib/campaign/relation.h"

namespace ropewalk {

const std::vector<campaign::Relation>& rotary_relations();

}  // namespace ropewalk
