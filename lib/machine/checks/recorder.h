// Which bytes of the tensors each instruction touched, for whoever holds several launches against each other.
#pragma once
#include <map>
#include <mutex>
#include <tuple>

#include "lib/launch/outcome.h"
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class AccessRecords {
 public:
  AccessRecords() = default;
  AccessRecords(AccessRecords&& other) noexcept : bytes_(std::move(other.bytes_)) {}
  AccessRecords& operator=(AccessRecords&& other) noexcept;

  // May be called by several workers at a time.
  void add(const AccessEvent& event);
  std::vector<InstructionAccesses> by_instruction(const Code& code) const;

 private:
  std::mutex mutex_;
  std::map<std::tuple<i32, u32, bool>, std::vector<u64>> bytes_;  // by tensor, step and whether it is a write
};

// Comes last among the checks: what they do not let pass is not recorded.
class AccessRecorder : public Checker {
 public:
  explicit AccessRecorder(AccessRecords& records) : records_(records) {}
  void on_access(const AccessEvent& event, Verdict&) override { records_.add(event); }

 private:
  AccessRecords& records_;
};

}  // namespace ropewalk::machine
