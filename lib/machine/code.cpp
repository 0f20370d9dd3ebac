#include "lib/machine/code.h"

namespace ropewalk::machine {

std::string_view name_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::Generic:
      return "generic";
    case MemorySpace::Global:
      return "global";
    case MemorySpace::Shared:
      return "shared";
    case MemorySpace::Local:
      return "local";
    case MemorySpace::Constant:
      return "const";
    case MemorySpace::Parameter:
      return "param";
  }
  return "";
}

}  // namespace ropewalk::machine
