// A resource of the program whose end graphs put off: it is destroyed when nobody holds a reference any more.
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "lib/base/types.h"

namespace ropewalk::driver {

struct UserObject {
  explicit UserObject(std::function<void()> end, u64 count) : destroy(std::move(end)), references(count) {}
  UserObject(const UserObject&) = delete;
  ~UserObject() { destroy(); }
  const std::function<void()> destroy;
  u64 references;        // of the program itself
  bool is_lost = false;  // more references were given up than there were
};

// Those of a graph, with how many references to each are its own. Copies of the graph hold the object as well.
using ObjectReferences = std::map<std::shared_ptr<UserObject>, u64>;

}  // namespace ropewalk::driver
