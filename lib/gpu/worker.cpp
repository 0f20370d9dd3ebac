#include "lib/gpu/worker.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/gpu/activity.h"
#include "lib/gpu/driver.h"

namespace ropewalk::gpu {

namespace {

constexpr char done = 'd';

// A message with room for one descriptor.
struct Message {
  char byte = done;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  Message() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

bool send_descriptor(int socket, int descriptor) {
  Message message;
  cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message.header, MSG_NOSIGNAL) == 1;
}

// Waits for the next job. -1: there is none any more, or the parent died.
int receive_descriptor(int socket, pid_t parent) {
  pollfd waiting{socket, POLLIN, 0};
  while (poll(&waiting, 1, 1000) <= 0) {
    if (getppid() != parent) return -1;  // other children may have inherited the other end of the socket
  }
  Message message;
  if (recvmsg(socket, &message.header, 0) != 1) return -1;
  const cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  int descriptor = -1;
  if (control && control->cmsg_type == SCM_RIGHTS) std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
  return descriptor;
}

// False: nothing came in that time. A signal to this process is no reason to stop.
bool wait_for_answer(int socket, double seconds) {
  const Stopwatch watch;
  pollfd waiting{socket, POLLIN, 0};
  for (;;) {
    const double left = std::max(0.0, seconds - watch.seconds());
    const int ready = poll(&waiting, 1, int(std::min(left, 1e6) * 1000) + 1);
    if (ready > 0) return true;
    if (left <= 0 || (ready < 0 && errno != EINTR)) return false;
  }
}

// Contexts that stay between launches. A device that is not there is the launch's to report.
class HeldContexts {
 public:
  void hold(const JobState& state, const DeviceRequest& request) {
    const LaunchLocation& where = request.location;
    hold(where.device ? int(*where.device) : state.device);
    for (const auto& number : {where.current_device, where.stream_device})
      if (number) hold(int(*number));
  }

 private:
  void hold(int number) {
    if (held_.contains(number)) return;
    try {
      const Driver& driver = Driver::open();
      DeviceHandle device = 0;
      ContextHandle context = nullptr;
      ROPEWALK_CUDA(driver, device_get, &device, number);
      ROPEWALK_CUDA(driver, context_retain, &context, device);
      held_[number] = context;
    } catch (const std::exception&) {
    }
  }

  std::map<int, ContextHandle> held_;
};

// Whether the process ends with this launch: its contexts are lost, or a record of CUPTI is wanted, which is of one
// launch in a process.
bool is_last(const JobState& state) { return state.stage == JobState::Stage::Failed || wants_activity(); }

// What the process does.
[[noreturn]] void work(int socket, pid_t parent) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);  // the parent ends it
  HeldContexts contexts;
  for (int descriptor; (descriptor = receive_descriptor(socket, parent)) >= 0;) {
    Job job(descriptor);
    if (!wants_activity()) contexts.hold(job.state(), job.request());
    job.run();
    if (send(socket, &done, 1, MSG_NOSIGNAL) != 1 || is_last(job.state())) break;
  }
  _exit(0);
}

}  // namespace

void Worker::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw InternalError(std::string("no socket for a child process: ") + std::strerror(errno));
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    try {
      work(ends[1], parent);
    } catch (const std::exception&) {
      _exit(1);
    }
  }
  close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) {
    stop();
    throw InternalError(std::string("no child process: ") + std::strerror(errno));
  }
}

ChildEnd Worker::stop(bool ends_by_itself) {
  if (socket_ >= 0) close(std::exchange(socket_, -1));
  if (process_ < 0) return {};
  int status = 0;
  if (!ends_by_itself) kill(process_, SIGKILL);
  waitpid(std::exchange(process_, -1), &status, 0);
  return end_of(status);
}

ChildEnd Worker::run(Job& job, double seconds) {
  if (process_ < 0 || !send_descriptor(socket_, job.descriptor())) {
    stop();
    start();
    if (!send_descriptor(socket_, job.descriptor())) return stop(true);
  }
  const bool is_in_time = wait_for_answer(socket_, seconds);
  char answer = 0;
  if (is_in_time && recv(socket_, &answer, 1, 0) == 1) {
    if (is_last(job.state())) stop();  // now: it would still take the next job, and end before it runs
    return {};
  }
  // It died, or takes too long.
  ChildEnd end = stop(is_in_time);
  end.in_time = is_in_time;
  return end;
}

}  // namespace ropewalk::gpu
