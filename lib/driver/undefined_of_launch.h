// What a launch did with bytes that nobody wrote: which it stored, and what it used that was stored before.
#pragma once
#include "lib/driver/launch.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

// nullptr: the tensor is no memory of the program.
Allocation* allocation_of(const DeviceMemory& memory, const LaunchTensor& tensor);

class UndefinedOfLaunch {
 public:
  UndefinedOfLaunch(Session& session, const LaunchRequest& request, const Launch& launch, Outcome& outcome)
      : session_(session), request_(request), launch_(launch), outcome_(outcome) {}

  // What it stored is known to its memory from now on. make: what is to be reported of a finding where it is used.
  void keep(const std::function<DeferredFinding(Finding)>& make);
  // Where it used what was stored by an earlier launch, or by another block, that store is reported in place of the
  // read.
  void report_used();

 private:
  using Stored = std::shared_ptr<UndefinedStored>;

  void keep_bits(Allocation& at, std::size_t tensor);
  void follow_back(const Stored& stored);
  u64 pads_to(const UndefinedStore& store) const;
  // nullptr: it is no memory of the program.
  const Allocation* memory_read_by(const Finding& read) const;
  std::vector<std::shared_ptr<const UndefinedStored>> stores_read_by(const Finding& read) const;
  std::string used_by(const Finding& read) const;

  Session& session_;
  const LaunchRequest& request_;
  const Launch& launch_;
  Outcome& outcome_;
};

}  // namespace ropewalk::driver
