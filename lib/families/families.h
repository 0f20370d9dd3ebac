// The families that there are.
#pragma once
#include <string_view>
#include <vector>

#include "lib/family/family.h"

namespace ropewalk::families {

const std::vector<const Family*>& all_families();
// The family that the problem is of.
const Family& family_of(const Problem& problem);
// Reads the text of a problem of any family. Throws InputError that names the nearest known family or key.
Problem parse_problem(std::string_view text);

}  // namespace ropewalk::families
