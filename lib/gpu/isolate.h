// Work in a child process, so that what goes wrong there ends there.
#pragma once
#include <functional>
#include <string>

namespace ropewalk::gpu {

// How a child process ended.
struct ChildEnd {
  bool in_time = true;
  int signal = 0;  // that killed it; 0: none
  int exit_code = 0;
};

// The end that waitpid() reported as this status.
ChildEnd end_of(int status);

// Runs `work` in a child process and waits for it, that many seconds at most; a child that takes longer is killed. What
// the work leaves in shared memory stays. Throws InternalError where no child can be made.
ChildEnd run_in_child(const std::function<void()>& work, double seconds);

}  // namespace ropewalk::gpu
