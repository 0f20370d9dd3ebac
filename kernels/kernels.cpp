#include "kernels/kernels.h"

#include "kernels/attention/backward_contract.h"
#include "kernels/attention/decode_contract.h"
#include "kernels/attention/forward_contract.h"
#include "kernels/attention/ring_contract.h"
#include "kernels/cache_store/cache_store_contract.h"
#include "kernels/faulty/attention_kernels.h"
#include "kernels/faulty/cache_store_kernels.h"
#include "kernels/faulty/decode_kernels.h"
#include "kernels/faulty/rotary_kernels.h"
#include "kernels/rotary/apply_contract.h"
#include "kernels/rotary/cache_contract.h"
#include "kernels/rotary/qk_contract.h"

namespace ropewalk {

const Kernels& shipped_kernels() {
  static const Kernels kernels([] {
    std::vector<Kernel> all;
    for (const auto& some :
         {rotary_apply_kernels(), rotary_qk_kernels(), rotary_cache_kernels(), attention_forward_kernels(),
          attention_backward_kernels(), attention_decode_kernels(), attention_ring_kernels(), cache_store_kernels(),
          faulty_rotary_kernels(), faulty_attention_kernels(), faulty_decode_kernels(), faulty_cache_store_kernels()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }());
  return kernels;
}

}  // namespace ropewalk
