#include "lib/machine/decode/shared_windows.h"

#include <algorithm>

#include "lib/ptx/shared_origins.h"

namespace ropewalk::machine {

void narrow_shared_accesses(Code& code) {
  const ptx::SharedOrigins origins = ptx::shared_origins(*code.module, code.function);
  for (Step& step : code.steps) {
    const u64 variables = step.memory ? origins.of_address[step.instruction] : 0;
    MemoryStep* const memory = step.memory.get();
    if (!variables || (memory->space != MemorySpace::Shared && memory->space != MemorySpace::Generic)) continue;
    u32 first = 0xffffffffu, last = 0;
    for (u32 n = 0; n < origins.variables.size(); ++n) {
      if (!((variables >> n) & 1u)) continue;
      const u32 id = origins.variables[n];
      const ptx::Variable& variable = code.module->variable(code.function, id);
      const u64 bytes = variable.bytes();
      const bool is_dynamic = variable.is_extern && bytes == 0;
      first = std::min(first, code.variable_offset[id]);
      last = is_dynamic ? 0xffffffffu : std::max(last, u32(code.variable_offset[id] + bytes));
      memory->shared_variable = (variables & (variables - 1)) == 0 ? id : no_value;
    }
    memory->shared_first = first;
    memory->shared_last = last;
  }
}

}  // namespace ropewalk::machine
