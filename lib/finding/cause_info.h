// The causes: every explanation that the suite can give for a finding, with a page each.
#pragma once
#include <string_view>
#include <vector>

namespace ropewalk {

struct CauseInfo {
  std::string_view id;        // "missing-row-mask"; stable
  std::string_view title;     // a few words for headings
  std::string_view means;     // what went wrong
  std::string_view evidence;  // what must be seen before it is claimed
  std::string_view advice;    // what to do
};

// Those of kernels first, of attention kernels next, then those of kernels that write to a KV cache, then those of rope
// caches that kernels do not have, then those of initialisations and of calls.
const std::vector<CauseInfo>& all_causes();
// Null where no cause has that id.
const CauseInfo* cause_named(std::string_view id);

// The kinds.
std::vector<CauseInfo> causes_of_kernels();
std::vector<CauseInfo> causes_of_attention();
std::vector<CauseInfo> causes_of_cache_stores();
std::vector<CauseInfo> causes_of_caches();
std::vector<CauseInfo> causes_of_initialisations();
std::vector<CauseInfo> causes_of_calls();

}  // namespace ropewalk
