// A process that runs launches on a device, one after the other.
#pragma once
#include <sys/types.h>

#include "lib/gpu/isolate.h"
#include "lib/gpu/job.h"

namespace ropewalk::gpu {

// The process starts with the first job and keeps the driver and its contexts, which cost a launch a fifth of a second
// each time. Where a launch fails it ends, as its contexts are lost then: the next launch has a new one, and knows
// nothing of what was broken. Not for several threads.
class Worker {
 public:
  Worker() = default;
  ~Worker() { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs the job there and waits, that many seconds at most; a process that takes longer is killed. Throws
  // InternalError where no process can be made.
  ChildEnd run(Job& job, double seconds);
  pid_t process() const { return process_; }  // -1: none now

 private:
  void start();
  // Waits for its end, after killing it unless it ends by itself.
  ChildEnd stop(bool ends_by_itself = false);

  pid_t process_ = -1;
  int socket_ = -1;  // ours; each message is the descriptor of a job, each answer one byte
};

}  // namespace ropewalk::gpu
