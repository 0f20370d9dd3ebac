#include "lib/machine/checks/bounds.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/machine/checks/alignment.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

namespace {

// Whether this process has memory there that no device knows: a pointer of the host, in a program that runs in it.
bool is_of_host(u64 address) {
  if (address < 4096 || window_of(address) >= process_windows) return false;
  std::byte byte;
  iovec to{&byte, 1}, from{reinterpret_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

constexpr const char* list_of_targets = "list of targets";

class BoundsCheck : public Checker {
 public:
  // report: false only stops the access.
  explicit BoundsCheck(bool report) : report_(report) {}
  void on_access(const AccessEvent& event, Verdict& verdict) override {
    const bool nowhere = event.space == MemorySpace::Global && !event.window;
    const bool freed = event.window && event.window->freed;
    const bool inside = event.offset >= event.start && u64(event.offset) + event.bytes <= event.extent;
    const bool reserved = event.window && event.window->allowed_shift && !freed;
    const bool there = !reserved || (inside && is_allowed(*event.window, u64(event.offset), event.bytes));
    if (!nowhere && inside && !freed && there) {
      if (!(event.is_write() && event.window && event.window->read_only)) return;
    }
    verdict.perform = false;
    if (!report_ || event.is_reported_elsewhere()) return;
    const u64 address = event.window ? event.address : u64(event.offset);
    const u32 wanted = event.aligned_to ? event.aligned_to : event.bytes;
    const bool misaligned = !nowhere && !freed && checks_of(event).has(Check::Alignment) &&
                            is_misaligned_inside(event.offset, event.start, event.extent, address, wanted);
    const bool host = nowhere && is_of_host(event.address);
    Occurrence occurrence = event.occurrence(host || !there     ? Rule::IllegalAddress
                                             : misaligned       ? Rule::MisalignedAccess
                                             : freed && inside  ? Rule::UseAfterFree
                                             : event.is_write() ? Rule::OutOfBoundsWrite
                                                                : Rule::OutOfBoundsRead);
    if (!event.window) occurrence.variable = event.step.memory->variable;
    if (nowhere) {
      occurrence.has_access = false;
    }
    event.context.block->collector->report(occurrence, [&](Occurrence& example) {
      if (occurrence.rule == Rule::UseAfterFree) example.detail = event.verb();
      if (misaligned) example.detail = misalignment_text(event.bytes, address, wanted);
      if (nowhere) {
        example.detail = no_tensor_text(event.address);
        example.address = event.address;
      }
      if (host) {
        example.detail = fmt::format("{} {} bytes at {:#x}: memory of the host, where memory of a device is expected",
                                     event.verb(), event.bytes, event.address);
      }
      if (!there) {
        example.detail =
            fmt::format("{} {} bytes from byte {} of {} on, where no memory is mapped that the device may touch",
                        event.verb(), event.bytes, event.offset, event.window->name);
      }
      if (event.address_taint & wrong_address) example.detail = "32-bit index arithmetic overflowed on the way";
    });
  }

  void on_branch_table(const Context& context, u32 step, u32 warp, u32 lane, u32 index, u32 targets) override {
    if (!report_) return;
    Occurrence out;
    out.rule = Rule::OutOfBoundsRead;
    out.step = step;
    out.block = context.block->number;
    out.thread = context.first_thread + warp * lanes_per_warp + lane;
    out.name = list_of_targets;
    context.block->collector->report(out, [&](Occurrence& example) {
      example.detail = fmt::format("branches by index {} of a list of {} targets, to nowhere", index, targets);
    });
  }

 private:
  static const CheckSet& checks_of(const AccessEvent& event) { return event.context.block->launch->options.checks; }

  bool report_;
};

}  // namespace

std::string no_tensor_text(u64 address) {
  return fmt::format("address {:#x}, {}", address, address < 4096 ? "a null pointer" : "which is in no tensor");
}

template <>
const CheckUnit& unit<Check::Bounds>() {
  static const CheckUnit unit{
      .rules =
          {{Rule::OutOfBoundsRead, "Read outside a tensor",
            "A thread read bytes that lie before the start or past the end of the tensor that its address came from.",
            "On a GPU it reads whatever allocation is next to it, so results are silently wrong on one machine and the "
            "context dies with an illegal access on another.",
            "Usually a mask is missing for the last rows or columns, a width is larger than the row it indexes, or a "
            "cache has fewer rows than the largest position."},
           {Rule::OutOfBoundsWrite, "Write outside a tensor",
            "A thread wrote, or changed by an atomic, bytes that lie before the start or past the end of the tensor "
            "that its address came from.",
            "It overwrites memory of somebody else, so the crash or the wrong number shows later and in another "
            "kernel.",
            "Usually a store lacks the mask that the load has, a model width was passed for a head width, or a stride "
            "or a grid does not belong to the tensor."},
           {Rule::UseAfterFree, "Access to memory that was freed",
            "A thread touched a tensor after its memory had been given back.",
            "A caching allocator gives the memory to the next tensor, so the kernel reads or destroys data that "
            "belongs to somebody else, and seldom crashes.",
            "Usually a temporary tensor died on the host while the kernel was queued, or a pointer was kept when a "
            "cache grew and moved."}},
      .words =
          [](const Wording& wording) {
            if (wording.finding.rule == Rule::UseAfterFree)
              return fmt::format("{} {} after it was freed", wording.verb(), wording.element());
            if (wording.example.name == list_of_targets) return wording.example.detail;
            const char* verb = wording.finding.rule == Rule::OutOfBoundsRead ? "reads" : "writes";
            if (!wording.finding.access) return fmt::format("{} {}", verb, wording.example.detail);
            const std::string more = wording.example.detail.empty() ? "" : " (" + wording.example.detail + ")";
            return fmt::format("{} {} at {}, {}{}", verb, wording.bytes(), wording.element(), wording.where(), more);
          },
      .listen = [](const Listening& listening) -> std::unique_ptr<Checker> {
        return std::make_unique<BoundsCheck>(listening.is_asked_for);
      },
      .listens_always = true,  // an access that is outside cannot be performed, whether that is reported or not
  };
  return unit;
}

}  // namespace ropewalk::machine
