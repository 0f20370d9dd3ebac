// What cases show that were tried while others were minimized.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace ropewalk::campaign {

// The findings of each case that was tried, by their ids and by id and cause. Findings of one launch go down the same
// way for a while, and a case is run once for all of them. May be used by several threads.
class ShownFindings {
 public:
  using Ids = std::set<std::string>;

  // Whether the case shows the finding of this name. `ids_of_case` runs it, where it was not run yet; two threads may
  // both do so, and come to the same.
  bool shows(const std::string& name_of_case, const std::string& id, const std::function<Ids()>& ids_of_case);

 private:
  std::mutex mutex_;
  std::map<std::string, Ids> ids_;
};

}  // namespace ropewalk::campaign
