// A PTX text as large as those of attention libraries: copies of a real module, each under names of its own.
#pragma once
#include <string>

#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace ropewalk::ptx {

// Gives everything that has a name in the module that name with `suffix` behind it.
inline void rename_all(Module& module, const std::string& suffix) {
  for (Variable& variable : module.variables) {
    variable.name += suffix;
    for (Variable::Relocation& relocation : variable.relocations) relocation.symbol += suffix;
  }
  for (Function& function : module.functions) {
    function.name += suffix;
    for (u32 i = 0; i < function.return_count + function.parameter_count; ++i) function.variables[i].name += suffix;
  }
}

// At least `bytes` of text, made of the module at `path`.
inline std::string large_text(const std::string& path, u64 bytes) {
  std::string text;
  for (u64 copy = 0; text.size() < bytes; ++copy) {
    Module module = read_file(path);
    rename_all(module, "_copy" + std::to_string(copy));
    // Version, target, address size and files stand once.
    if (copy) module.files.assign(module.files.size(), "");
    const std::string part = write(module);
    text += text.empty() ? part : part.substr(part.find('\n', part.find(".address_size")));
  }
  return text;
}

}  // namespace ropewalk::ptx
