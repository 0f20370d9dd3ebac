// Index statements: `//@index %r12 < %r6 : x.head_dim` must hold, with the index not negative.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

// What an index statement said and what was found.
std::string broken_index_text(const std::string& name, i32 index, i32 bound);

class IndexCheck : public Checker {
 public:
  void on_index(const Context& context, const Step& step, u32 step_index, u32 warp, u32 lane, u32 index,
                u32 bound) override;
};

}  // namespace ropewalk::machine
