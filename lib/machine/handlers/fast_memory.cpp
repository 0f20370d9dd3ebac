#include "lib/machine/handlers/fast_memory.h"

#include "lib/machine/program.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {}
