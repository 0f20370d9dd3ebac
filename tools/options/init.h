// Options of `rope-check init`: a plan of an initialisation.
#pragma once
#include <optional>
#include <string>

#include "lib/base/types.h"

namespace ropewalk::tools {

struct InitOptions {
  std::string file;
  std::optional<u32> ranks;  // in place of the plan's own number
};

}  // namespace ropewalk::tools
