#include "lib/base/processor.h"
#include "reference/fast/kernels.h"

namespace ropewalk::reference {

// Of each instruction set that kernels.cpp is compiled for.
namespace generic {
extern const AttentionKernels kernels;
}
#ifdef RW_HAVE_WIDER
namespace v3 {
extern const AttentionKernels kernels;
}
namespace v4 {
extern const AttentionKernels kernels;
}
#endif

std::vector<std::string_view> attention_instruction_sets() {
  std::vector<std::string_view> names;
#ifdef RW_HAVE_WIDER
  if (has_x86_64_v4()) names.push_back("v4");
  if (has_x86_64_v3()) names.push_back("v3");
#endif
  names.push_back("generic");
  return names;
}

const AttentionKernels& attention_kernels(std::string_view instruction_set) {
#ifdef RW_HAVE_WIDER
  if (instruction_set == "v4") return v4::kernels;
  if (instruction_set == "v3") return v3::kernels;
#endif
  return generic::kernels;
}

const AttentionKernels& attention_kernels() {
  static const AttentionKernels& best = attention_kernels(attention_instruction_sets().front());
  return best;
}

}  // namespace ropewalk::reference
