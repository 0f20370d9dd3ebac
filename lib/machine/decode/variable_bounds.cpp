#include "lib/machine/decode/variable_bounds.h"

#include <algorithm>

#include "lib/ptx/variable_origins.h"

namespace ropewalk::machine {

namespace {

void narrow(Code& code, ptx::Space variables_of, MemorySpace space) {
  const ptx::VariableOrigins origins = ptx::variable_origins(*code.module, code.function, variables_of);
  for (Step& step : code.steps) {
    const u64 variables = step.memory ? origins.of_address[step.instruction] : 0;
    MemoryStep* const memory = step.memory.get();
    if (!variables || (memory->space != space && memory->space != MemorySpace::Generic)) continue;
    u32 first = 0xffffffffu, last = 0;
    for (u32 n = 0; n < origins.variables.size(); ++n) {
      if (!((variables >> n) & 1u)) continue;
      const u32 id = origins.variables[n];
      const ptx::Variable& variable = code.module->variable(code.function, id);
      const u64 bytes = variable.bytes();
      const bool is_dynamic = variable.is_extern && bytes == 0;
      first = std::min(first, code.variable_offset[id]);
      last = is_dynamic ? 0xffffffffu : std::max(last, u32(code.variable_offset[id] + bytes));
      memory->variable = (variables & (variables - 1)) == 0 ? id : no_value;
    }
    memory->first_byte = first;
    memory->last_byte = last;
  }
}

}  // namespace

void narrow_to_variables(Code& code) {
  narrow(code, ptx::Space::Shared, MemorySpace::Shared);
  narrow(code, ptx::Space::Local, MemorySpace::Local);
  narrow(code, ptx::Space::Param, MemorySpace::Parameter);
}

}  // namespace ropewalk::machine
