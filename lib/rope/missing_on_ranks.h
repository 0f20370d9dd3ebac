// Tensors that some ranks have and others lack.
#pragma once
#include <string>
#include <vector>

#include "lib/finding/answer.h"
#include "lib/rope/table.h"

namespace ropewalk::rope {

// A note where ranks lack whole tables, as stages of a pipeline do. A table of which a rank has cos or sin alone, and
// another rank both, is added to `open`.
std::vector<std::string> notes_on_missing(const std::vector<FileTables>& files, std::vector<Answer::NotJudged>& open);

}  // namespace ropewalk::rope
