#include "lib/driver/host_fault.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "lib/driver/session.h"
#include "lib/machine/address.h"

namespace ropewalk::driver {

namespace {

struct sigaction before;

bool is_of_device(u64 address) {
  const u64 window = machine::window_of(address);
  return window >= machine::first_resident_window && window < machine::most_windows;
}

// Nothing of the library is in use where the signal comes from host code, unless another thread is at work in it.
void report(u64 address, bool writes) {
  Session& session = Session::of_process();
  if (!session.mutex().try_lock()) return;
  session.memory().touched_by_host(address, writes);
  session.mutex().unlock();
}

#ifdef __x86_64__

// Addresses of device memory are not canonical, so the processor names neither the address nor the kind of access.
// Which register has the address is found by trying: with one after the other in its place that leads to pages nobody
// may touch, the instruction is executed again, until the signal names one of these.
class Trial {
 public:
  // Whether the instruction is to be executed again. Else everything is as it was.
  bool go_on(const siginfo_t& info, greg_t* registers) {
    constexpr greg_t write_bit = 2;  // of a page fault's error code
    if (at_) {
      registers[*at_] = original_;
      const u64 touched = u64(info.si_addr);
      if (touched >= pages_ && touched < pages_ + 2 * reach) {
        report(u64(original_) + (touched - pages_ - reach), registers[REG_ERR] & write_bit);
        return false;
      }
      ++at_;
    } else if (!begin()) {
      return false;
    }
    while (at_ != std::end(candidates) && !is_of_device(u64(registers[*at_]))) ++at_;
    if (at_ == std::end(candidates)) return false;
    original_ = registers[*at_];
    registers[*at_] = greg_t(pages_ + reach);
    return true;
  }

 private:
  static constexpr u64 reach = u64(1) << 36;  // of an index and an offset beside the register
  static constexpr int candidates[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
                                       REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

  bool begin() {
    void* const pages = mmap(nullptr, 2 * reach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return false;
    pages_ = u64(pages);
    at_ = candidates;
    return true;
  }

  const int* at_ = nullptr;
  greg_t original_ = 0;
  u64 pages_ = 0;
};

bool is_tried_again(const siginfo_t& info, void* context) {
  thread_local Trial trial;
  return trial.go_on(info, static_cast<ucontext_t*>(context)->uc_mcontext.gregs);
}

#else

bool is_tried_again(const siginfo_t& info, void*) {
  if (info.si_code > 0 && is_of_device(u64(info.si_addr))) report(u64(info.si_addr), false);
  return false;
}

#endif

thread_local sigjmp_buf* volatile copy_under_way = nullptr;  // the signal reads it
thread_local volatile u64 faulty_address = 0;                // and writes this

// A signal that somebody sent is no fault.
bool is_sent(const siginfo_t& info) { return info.si_code <= 0; }

void on_fault(int number, siginfo_t* info, void* context) {
  if (is_sent(*info)) {
    sigaction(number, &before, nullptr);
    raise(number);  // again, once this handler has returned
    return;
  }
  if (sigjmp_buf* const way_out = copy_under_way) {
    copy_under_way = nullptr;
    faulty_address = u64(info->si_addr);
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, number);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    siglongjmp(*way_out, 1);
  }
  // The access is made once more, and what was to happen does.
  if (!is_tried_again(*info, context)) sigaction(number, &before, nullptr);
}

// Nothing between the copy and the signal has a destructor.
bool is_copied(std::byte* to, const std::byte* from, u64 bytes) {
  sigjmp_buf way_out;
  if (sigsetjmp(way_out, false)) return false;
  copy_under_way = &way_out;
  std::memmove(to, from, bytes);
  copy_under_way = nullptr;
  return true;
}

}  // namespace

std::optional<CopyFault> copy_or_fault(std::byte* to, const std::byte* from, u64 bytes) {
  if (is_copied(to, from, bytes)) return {};
  constexpr u64 page = 4096;
  for (u64 at = 0; at < bytes;) {
    const u64 left_in_page = page - std::max(u64(to + at) % page, u64(from + at) % page);
    const u64 part = std::min(left_in_page, bytes - at);
    if (!is_copied(to + at, from + at, part)) return CopyFault{at, faulty_address - u64(from) < bytes};
    at += part;
  }
  return {};
}

void watch_host_accesses() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before);
}

}  // namespace ropewalk::driver
