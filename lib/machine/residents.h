// What resident tensors held before a launch, so that it can run once more from there.
#pragma once
#include <vector>

#include "lib/launch/launch.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

class Residents {
 public:
  // Copies the resident tensors that the code may store to, with what is known to be written of them.
  Residents(const Launch& launch, const Code& code);
  // Puts it back.
  void restore() const;

 private:
  struct Kept {
    Resident resident;
    std::vector<std::byte> bytes;
    std::vector<u64> initialized;
  };
  std::vector<Kept> kept_;
};

}  // namespace ropewalk::machine
