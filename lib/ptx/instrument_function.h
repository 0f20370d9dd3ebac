// Puts the checks into one function; inside of lib/ptx only.
#pragma once
#include "lib/ptx/builder.h"
#include "lib/ptx/instrument.h"

namespace ropewalk::ptx {

// `function` is the one of `module` (which has the helpers) that was number `number` in the original module. Appends to
// out.sites and to `slots`.
void instrument_function(Module& module, OpcodeTable& opcodes, Function& function, u32 number,
                         const InstrumentOptions& options, Instrumented& out, EntrySlots& slots);

}  // namespace ropewalk::ptx
