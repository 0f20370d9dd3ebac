#include "lib/campaign/shown.h"

namespace ropewalk::campaign {

bool ShownFindings::shows(const std::string& name_of_case, const std::string& id,
                          const std::function<Ids()>& ids_of_case) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = ids_.find(name_of_case); known != ids_.end()) return known->second.contains(id);
  }
  Ids ids = ids_of_case();
  const std::lock_guard lock(mutex_);
  return ids_.emplace(name_of_case, std::move(ids)).first->second.contains(id);
}

}  // namespace ropewalk::campaign
