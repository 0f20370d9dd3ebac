#include "lib/finding/cause_info.h"

namespace ropewalk {

const std::vector<CauseInfo>& all_causes() {
  static const std::vector<CauseInfo> all = [] {
    std::vector<CauseInfo> causes = causes_of_kernels();
    for (const CauseInfo& cause : causes_of_attention()) causes.push_back(cause);
    for (const CauseInfo& cause : causes_of_cache_stores()) causes.push_back(cause);
    for (const CauseInfo& cause : causes_of_caches()) causes.push_back(cause);
    for (const CauseInfo& cause : causes_of_initialisations()) causes.push_back(cause);
    for (const CauseInfo& cause : causes_of_calls()) causes.push_back(cause);
    return causes;
  }();
  return all;
}

const CauseInfo* cause_named(std::string_view id) {
  for (const CauseInfo& cause : all_causes()) {
    if (cause.id == id) return &cause;
  }
  return nullptr;
}

}  // namespace ropewalk
