// The metamorphic relations of attention problems.
#pragma once
#include <vector>

#include "lib/campaign/relation.h"

namespace ropewalk::attention {

const std::vector<campaign::Relation>& attention_relations();
// Those that speak of a cache: of pages, splits, key lengths and merges, and of prefill in chunks.
std::vector<campaign::Relation> cache_relations();
// Of launches of a ring.
const std::vector<campaign::Relation>& ring_relations();

}  // namespace ropewalk::attention
