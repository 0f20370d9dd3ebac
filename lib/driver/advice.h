// What a program advised about managed memory: it changes nothing here, and the program can ask for it.
#pragma once
#include <iterator>
#include <map>
#include <set>

#include "lib/base/types.h"

namespace ropewalk::driver {

// CUmemLocation
struct MemoryLocation {
  static constexpr int none = 0, of_device = 1, of_host = 2, of_host_node = 3, of_this_host_node = 4;
  int type = none, number = 0;
  bool operator==(const MemoryLocation&) const = default;
};

struct Advice {
  bool is_read_mostly = false;
  MemoryLocation preferred, prefetched;  // prefetched: the last time
  std::set<int> accessed_by;             // devices; the host: -1
};

// By page. All pages are alike at first.
class AdvisedPages {
 public:
  // change(advice) for each part of the pages [first, last) that is alike.
  template <class Change>
  void change(u64 first, u64 last, const Change& change) {
    split(first);
    split(last);
    for (auto at = parts_.find(first); at != parts_.end() && at->first < last; ++at) change(at->second);
  }
  // The same, and they stay.
  template <class See>
  void see(u64 first, u64 last, const See& see) const {
    for (auto at = std::prev(parts_.upper_bound(first)); at != parts_.end() && at->first < last; ++at) see(at->second);
  }

 private:
  void split(u64 page) { parts_.try_emplace(page, std::prev(parts_.upper_bound(page))->second); }

  std::map<u64, Advice> parts_ = {{0, {}}};  // by first page, each up to the next
};

}  // namespace ropewalk::driver
