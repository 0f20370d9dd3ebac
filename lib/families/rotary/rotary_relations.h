// The metamorphic relations of rotary problems.
#pragma once
#include <vector>

#include "lib/campaign/relation.h"

namespace ropewalk::rotary {

const std::vector<campaign::Relation>& rotary_relations();

}  // namespace ropewalk::rotary
