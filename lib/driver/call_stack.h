// Where in the program a call of the driver was made.
#pragma once
#include <string>
#include <vector>

namespace ropewalk::driver {

class CallStack {
 public:
  CallStack() = default;
  // Of the calling thread, without the frames of the virtual GPU's own libraries.
  static CallStack here();

  bool empty() const { return frames_.empty(); }
  // One line a frame, innermost first: "main+0x2f (/path/program+0x12af)".
  std::vector<std::string> lines() const;

 private:
  std::vector<void*> frames_;
};

}  // namespace ropewalk::driver
