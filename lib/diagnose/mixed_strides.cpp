#include "lib/diagnose/mixed_strides.h"

#include <fmt/format.h>

namespace ropewalk::diagnose {

std::vector<MixedStrides> mixed_strides(const LaunchTensor& tensor, const Strides& other, const std::string& whose) {
  std::vector<MixedStrides> all;
  if (other.size() != tensor.strides.size()) return all;
  for (u32 replaced = 1; replaced < (1u << other.size()); ++replaced) {
    MixedStrides mixed{tensor.strides, ""};
    bool all_change = true;
    for (u64 d = 0; d < other.size(); ++d) {
      if (!((replaced >> d) & 1u)) continue;
      all_change &= tensor.strides[d] != other[d] && tensor.shape[d] > 1;
      mixed.strides[d] = other[d];
    }
    if (!all_change) continue;
    mixed.text = fmt::format("{}: {} instead of {}", whose, text_of(mixed.strides), text_of(tensor.strides));
    all.push_back(std::move(mixed));
  }
  return all;
}

}  // namespace ropewalk::diagnose
