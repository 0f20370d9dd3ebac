// Bytes of an allocation that kernels stored although nobody wrote them, with what is to be reported once they are
// used: by a later kernel, or by a copy to where the host sees them.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/driver/byte_set.h"
#include "lib/finding/finding.h"
#include "lib/launch/launch.h"

namespace ropewalk::driver {

// What is to be reported.
struct DeferredFinding {
  Finding finding;
  std::function<void(Finding&)> complete;  // puts in what is only made for what is reported; may be empty
  std::shared_ptr<bool> failed;            // of its launch: an error in it was counted
  std::shared_ptr<std::set<std::string>> reported =
      std::make_shared<std::set<std::string>>();  // of its launch, by defect_key
  u32 readers = 0;                                // how often what was stored was read and stored again
};
// Of what one instruction of a launch stored: one and more.
using UndefinedStored = std::vector<DeferredFinding>;

class UndefinedBytes {
 public:
  struct Part {
    ByteSet bytes;
    std::shared_ptr<const UndefinedStored> stored;
    // Nobody has looked at the memory since, nor may have done so in the launch: it holds results, which matter, and is
    // no scratch memory.
    bool is_result = false;
    u64 pads_to = 8;  // some of it may be the padding of structs behind a number of so many bytes; 0: none is
  };
  // Which of the allocation's bytes are written by now, a bit a byte, and the bytes of the widest number that may have
  // been stored there.
  struct Written {
    const u64* bits = nullptr;
    u64 widest = 0;
  };

  bool empty() const { return parts_.empty(); }
  void clear() { parts_.clear(); }
  // In place of what the same instruction stored before.
  void add(Part part);
  // A kernel may read the memory, or a copy does.
  void look_at();
  // Who stored what nobody wrote up to now in bytes [first, last), but for the padding of structs; as_results: of those
  // who stored results that nobody has looked at.
  std::vector<std::shared_ptr<const UndefinedStored>> used(const Written& written, u64 first, u64 last,
                                                           bool as_results = false) const;
  // What bytes [first, last) have, as bytes from `to` on.
  std::vector<Part> moved(u64 first, u64 last, u64 to) const;

 private:
  std::vector<Part> parts_;
};

// The first of bytes [first, last) that nobody wrote up to now and that does not pad a struct; none: there is none.
std::optional<u64> first_unwritten(const UndefinedBytes::Written& written, u64 first, u64 last);

// Drops those of bytes in these ranges [first, last), which ascend.
void forget(UndefinedBits& bits, const std::vector<std::pair<u64, u64>>& ranges);

}  // namespace ropewalk::driver
