#include "kernels/faulty/attention_kernels.h"

#include "kernels/attention/backward_kernels.h"
#include "kernels/attention/decode_kernels.h"
#include "kernels/attention/forward_kernels.h"
#include "kernels/attention/ring_kernels.h"
#include "kernels/family_kernels.h"
#include "kernels/faulty/attention_atlas.h"
#include "kernels/faulty/decode_atlas.h"
#include "kernels/faulty/decode_kernels.h"

namespace ropewalk::kernels {

FamilyKernels attention_family_kernels() {
  return {.correct = joined({attention_forward_kernels(), attention_backward_kernels(), attention_decode_kernels(),
                             attention_ring_kernels()}),
          .faulty = joined({faulty_attention_kernels(), faulty_decode_kernels()}),
          .atlas = joined({attention_atlas(), decode_atlas(), ring_atlas()})};
}

}  // namespace ropewalk::kernels
