#include "kernels/family.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/backward_contract.h"
#include "kernels/attention/decode_contract.h"
#include "kernels/attention/forward_contract.h"
#include "kernels/attention/ring_contract.h"
#include "kernels/faulty/attention_families.h"
#include "kernels/faulty/decode_families.h"
#include "kernels/faulty/rotary_families.h"
#include "kernels/rotary/apply_contract.h"
#include "kernels/rotary/cache_contract.h"
#include "kernels/rotary/qk_contract.h"
#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk {

const std::vector<KernelFamily>& all_families() {
  static const std::vector<KernelFamily> families = [] {
    std::vector<KernelFamily> all;
    for (const auto& some :
         {rotary_apply_families(), rotary_qk_families(), rotary_cache_families(), attention_forward_families(),
          attention_backward_families(), attention_decode_families(), attention_ring_families(),
          faulty_rotary_families(), faulty_attention_families(), faulty_decode_families()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    std::stable_partition(all.begin(), all.end(), [](const KernelFamily& family) { return family.healthy(); });
    return all;
  }();
  return families;
}

const KernelFamily& family_named(std::string_view name) {
  std::vector<std::string> names;
  for (const KernelFamily& family : all_families()) {
    if (family.name == name) return family;
    names.push_back(family.name);
  }
  throw InputError(fmt::format("no kernel \"{}\", {}", name, did_you_mean(name, names)));
}

std::vector<std::string> unanswerable(const KernelFamily& family, const Problem& problem) {
  std::vector<std::string> reasons = family.reject(problem);
  if (reasons.empty() && !family.healthy()) reasons = family_named(family.healthy_twin).reject(problem);
  return reasons;
}

}  // namespace ropewalk
