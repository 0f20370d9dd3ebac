// The versions of PTX and the targets that there are.
#pragma once
#include <string>
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::ptx {

// Whether a version (such as "8.8") or a target ("sm_90a") exists, may exist in a toolkit newer than those known here,
// or is none. Known are PTX 1.0 to 9.4 and compute capabilities 1.0 to 12.1.
enum class Standing { Known, Newer, None };
Standing standing_of_version(std::string_view version);
Standing standing_of_target(std::string_view target);

// The compute capability in a target's name, 80 of "sm_80" and 90 of "sm_90a"; 80 where it names none.
u32 capability_of(std::string_view target);

// What is reported of a header that is newer than what is known here; "" where all is known.
std::string newer_text(std::string_view version, std::string_view target);

}  // namespace ropewalk::ptx
