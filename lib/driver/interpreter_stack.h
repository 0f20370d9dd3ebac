// Where a program in Python made a call: its interpreter is asked.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace ropewalk::driver {

// Of a line "function (file:line)" a frame, innermost first.
using InterpreterFrames = std::shared_ptr<const std::vector<std::string>>;

// Lines of the calling thread's frames, separated by line feeds, until it asks again; null: they are not known.
using FrameSource = const char* (*)();
// From here on; null: nobody is asked any more.
void take_frames_from(FrameSource source);

// As long as it lives, the calling thread is in a call that its interpreter's frames made. It asks the interpreter,
// whose lock it may wait for, so that no mutex may be held where it is made.
class InterpreterCall {
 public:
  InterpreterCall();
  ~InterpreterCall();
  InterpreterCall(const InterpreterCall&) = delete;

  // Of the outermost call of this thread; null: it is none of an interpreter's.
  static const InterpreterFrames& frames();
};

}  // namespace ropewalk::driver
