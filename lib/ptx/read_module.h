// The reader's top level; inside of lib/ptx only.
#pragma once
#include <string>
#include <string_view>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

Module read_module(std::string_view text, const std::string& path);

}  // namespace ropewalk::ptx
