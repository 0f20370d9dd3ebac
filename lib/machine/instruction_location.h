// Where an instruction stands in somebody's source.
#pragma once
#include <optional>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

// The innermost position outside the CUDA toolkit's headers, with the chain of inlining.
std::optional<FindingLocation> location_of(const Code& code, u32 instruction);
// By instruction: the first one of the same line of the source, itself where that is not known.
std::vector<u32> lines_of_source(const Code& code);
// The same of a line in one call of the function that it stands in: other calls are other statements.
std::vector<u32> statements_of_source(const Code& code);
// Where the entry begins.
std::optional<FindingLocation> entry_location(const Code& code);
// A path with "cuda" and "include" in it, or a header that only the toolkit has.
bool is_toolkit_header(std::string_view path);

}  // namespace ropewalk::machine
