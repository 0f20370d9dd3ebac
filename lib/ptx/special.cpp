#include "lib/ptx/special.h"

#include <array>

namespace ropewalk::ptx {

namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, u64(Special::Unknown)> names = {"%tid.x",
                                                                       "%tid.y",
                                                                       "%tid.z",
                                                                       "%ntid.x",
                                                                       "%ntid.y",
                                                                       "%ntid.z",
                                                                       "%ctaid.x",
                                                                       "%ctaid.y",
                                                                       "%ctaid.z",
                                                                       "%nctaid.x",
                                                                       "%nctaid.y",
                                                                       "%nctaid.z",
                                                                       "%laneid",
                                                                       "%warpid",
                                                                       "%nwarpid",
                                                                       "%smid",
                                                                       "%nsmid",
                                                                       "%gridid",
                                                                       "%lanemask_eq",
                                                                       "%lanemask_le",
                                                                       "%lanemask_lt",
                                                                       "%lanemask_ge",
                                                                       "%lanemask_gt",
                                                                       "%clock",
                                                                       "%clock64",
                                                                       "%clock_hi",
                                                                       "%globaltimer",
                                                                       "%globaltimer_lo",
                                                                       "%globaltimer_hi",
                                                                       "%envreg1",
                                                                       "%envreg2",
                                                                       "%dynamic_smem_size",
                                                                       "%total_smem_size",
                                                                       "%aggr_smem_size",
                                                                       "%reserved_smem_offset_begin",
                                                                       "%reserved_smem_offset_end",
                                                                       "%reserved_smem_offset_cap",
                                                                       "%reserved_smem_offset_0",
                                                                       "%reserved_smem_offset_1",
                                                                       "%clusterid.x",
                                                                       "%clusterid.y",
                                                                       "%clusterid.z",
                                                                       "%nclusterid.x",
                                                                       "%nclusterid.y",
                                                                       "%nclusterid.z",
                                                                       "%cluster_ctaid.x",
                                                                       "%cluster_ctaid.y",
                                                                       "%cluster_ctaid.z",
                                                                       "%cluster_nctaid.x",
                                                                       "%cluster_nctaid.y",
                                                                       "%cluster_nctaid.z",
                                                                       "%cluster_ctarank",
                                                                       "%cluster_nctarank",
                                                                       "%is_explicit_cluster"};
static_assert(names.back() == "%is_explicit_cluster");

}  // namespace

std::string_view name_of(Special special) {
  return special == Special::Unknown ? std::string_view() : names[u64(special)];
}

Special special_named(std::string_view name) {
  for (u64 i = 0; i < names.size(); ++i) {
    if (names[i] == name) return Special(i);
  }
  return Special::Unknown;
}

}  // namespace ropewalk::ptx
