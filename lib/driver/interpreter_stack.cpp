#include "lib/driver/interpreter_stack.h"

#include <dlfcn.h>

#include <atomic>
#include <sstream>

namespace ropewalk::driver {

namespace {

std::atomic<FrameSource> source = nullptr;

thread_local int depth = 0;
thread_local InterpreterFrames of_this_thread;

// A thread of the interpreter's: for another one, asking would mean waiting for a lock that a thread may hold which
// waits for this one.
bool is_of_interpreter() {
  static const auto state_of_this_thread =
      reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  return state_of_this_thread && state_of_this_thread();
}

}  // namespace

void take_frames_from(FrameSource to) { source = to; }

InterpreterCall::InterpreterCall() {
  const FrameSource ask = source;
  if (depth++ || !ask || !is_of_interpreter()) return;
  const char* const text = ask();
  if (!text) return;
  std::istringstream lines(text);
  auto frames = std::make_shared<std::vector<std::string>>();
  for (std::string line; std::getline(lines, line);) frames->push_back(line);
  if (!frames->empty()) of_this_thread = std::move(frames);
}

InterpreterCall::~InterpreterCall() {
  if (--depth == 0) of_this_thread = nullptr;
}

const InterpreterFrames& InterpreterCall::frames() { return of_this_thread; }

}  // namespace ropewalk::driver
