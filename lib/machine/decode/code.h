// From an entry of a module to code.
#pragma once
#include <memory>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// Decodes an entry. What the machine cannot execute becomes a step that says so when a thread reaches it.
// `fp_contract`: products are fused with sums (see fp_contract.h). `is_cooperative`: the launch's.
std::shared_ptr<const Code> make_code(std::shared_ptr<const ptx::Module> module, const ptx::Function& entry,
                                      bool fp_contract, bool is_cooperative = true);

}  // namespace ropewalk::machine
