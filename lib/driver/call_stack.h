// Where in the program a call of the driver was made.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/driver/interpreter_stack.h"
#include "lib/finding/finding.h"

namespace ropewalk::driver {

class CallStack {
 public:
  CallStack() = default;
  // Of the calling thread, without the frames of the virtual GPU's own libraries: the interpreter's, where it has some.
  static CallStack here();

  // As long as it lives, a stack of another thread, for whom this one works, counts as the calling thread's own.
  class Instead {
   public:
    explicit Instead(const CallStack& stack);
    ~Instead();
    Instead(const Instead&) = delete;
  };

  bool empty() const { return frames_.empty() && !interpreted_; }
  // One line a frame, innermost first: "main (/path/program+0x12af)", or "main (main.cu:12)" of what
  // was built with -g. What started the program is left out.
  std::vector<std::string> lines() const;
  // The innermost function that has a name and is none of the runtime's header: "main". Empty: there is none.
  std::string function() const;
  // The innermost line of the program's own source, where it was built with -g.
  std::optional<FindingLocation> location() const;

 private:
  std::vector<void*> frames_;
  InterpreterFrames interpreted_;
};

// Says in a finding's evidence what was done where: "launched at main (main.cu:12)", "  called by ...". Nothing where
// there are no lines.
void add_stack(std::vector<std::string>& evidence, const std::string& what, const std::vector<std::string>& lines);

}  // namespace ropewalk::driver
