// What the memory held that a launch was handed, copied to the host before it ran: after an error it can no longer be
// read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/trace/recorder/allocations.h"
#include "lib/trace/recorder/driver_questions.h"

namespace ropewalk::trace {

class Contents {
 public:
  explicit Contents(u64 most_bytes) : most_bytes_(most_bytes) {}
  // Copies every live allocation that a word of the arguments points into, in place of what was kept before. Waits for
  // the device first, and says whether all that came before is complete.
  bool save(u64 launch, const std::byte* arguments, u32 bytes, const Allocations& allocations,
            const DriverQuestions& driver);
  u64 launch() const { return launch_; }
  // Writes them into `folder` and says what there is.
  nlohmann::ordered_json json(const std::string& folder) const;

 private:
  struct Saved {
    Allocation allocation;
    std::vector<std::byte> bytes;
    std::string left_out;  // why it was not copied
  };
  u64 most_bytes_, launch_ = 0;
  std::vector<Saved> saved_;
};

}  // namespace ropewalk::trace
