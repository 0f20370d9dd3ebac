// Which tensors of a launch a code's accesses may reach.
#pragma once
#include <map>
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Those whose argument an address was derived from; all, where an origin is not known.
class Reached {
 public:
  explicit Reached(const Launch& launch) : launch_(launch), tensors_(launch.tensors.size()) {}

  bool has(i32 tensor) const { return any_ || tensor < 0 || tensors_[u32(tensor)]; }
  bool meets(const Reached& other) const;
  // True: more than before.
  bool add(const ptx::Origin& origin);

 private:
  // True: more than before.
  bool add_variable(const std::string& name);

  const Launch& launch_;
  std::vector<bool> tensors_;
  bool variables_ = false;  // of the module
  bool any_ = false;
};

// The tensors that loads may reach, that stores and atomics may, and whose loads may be part of an atomic or are
// strong.
struct ReachedBy {
  Reached loads, stores, strong_loads;
};
ReachedBy reached_by(const Launch& launch, const Code& code);

// By step: accesses that need no order, because nobody else writes there: loads of what no step of the launch may store
// to, and a thread's own memory. shared_by_barriers: barriers are looked at for shared memory.
std::vector<bool> needs_no_order(const Launch& launch, const Code& code, bool shared_by_barriers);

// Whether a load that may be executed behind a store may read what it stores, other than for what is stored there then:
// a sum in memory.
class ReadBehind {
 public:
  ReadBehind(const Launch& launch, const Code& code);
  bool operator()(u32 store) const;

 private:
  bool loads_global(const Step& step) const;
  Reached reached_by(u32 step) const;

  const Launch& launch_;
  const Code& code_;
  std::vector<bool> local_;               // by value: a pointer into local memory
  std::multimap<u32, u32> stored_again_;  // by load, the stores that store what is made of it
};

// By tensor: the bytes of the widest number that stores may put there; 0: none does.
std::vector<u8> widest_stored(const Launch& launch, const Code& code);

}  // namespace ropewalk::machine
