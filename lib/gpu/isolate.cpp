#include "lib/gpu/isolate.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "lib/base/error.h"

namespace ropewalk::gpu {

ChildEnd end_of(int status) {
  ChildEnd end;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

ChildEnd run_in_child(const std::function<void()>& work, double seconds) {
  const pid_t child = fork();
  if (child < 0) throw InternalError(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) {
    work();
    _exit(0);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  // Short launches are asked after often, long ones seldom.
  for (auto pause = std::chrono::microseconds(200);; pause = std::min(pause * 2, std::chrono::microseconds(20000))) {
    if (waitpid(child, &status, WNOHANG) == child) break;
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {.in_time = false};
    }
    std::this_thread::sleep_for(pause);
  }
  return end_of(status);
}

}  // namespace ropewalk::gpu
