// Values in memory that streams write and wait for: an order between them, as by events.
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "lib/base/bits.h"
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

// What was done before the value at an address was written last.
std::map<u64, Clock>& clocks() {
  static std::map<u64, Clock> all;
  return all;
}

// CUstreamWaitValue_flags: how the value is compared; a bit beside them is for remote writes, of which there are none.
enum class Compare : unsigned { GreaterOrEqual = 0, Equal = 1, And = 2, Nor = 3 };
constexpr unsigned flush = 1u << 30;
constexpr unsigned no_barrier = 1;  // CUstreamWriteValue_flags: what comes before it need not be seen

struct Value {
  DevicePointer address;
  u64 value;
  u32 bytes;  // 4 or 8
  unsigned flags;
};

bool is_met(Session& session, const Value& what) {
  ResolvedAddress resolved;
  if (!session.memory().check(resolved, what.address, what.bytes, false, "cuStreamWaitValue") || !resolved.allocation)
    return true;  // it was reported
  u64 now = 0;
  std::memcpy(&now, resolved.allocation->data + resolved.offset, what.bytes);
  const u64 all = what.bytes == 8 ? ~u64(0) : 0xffffffffu;
  switch (Compare(what.flags & ~flush)) {
    case Compare::GreaterOrEqual:
      return what.bytes == 8 ? i64(now - what.value) >= 0 : i32(u32(now) - u32(what.value)) >= 0;
    case Compare::Equal:
      return now == (what.value & all);
    case Compare::And:
      return (now & what.value) != 0;
    case Compare::Nor:
      return (~(now | what.value) & all) != 0;
  }
  return true;
}

int refuse(const char* name) {
  Held()->unsupported(name);
  return answer(Result::NotSupported);
}

int wait_value(Stream* stream, const Value& what) {
  RW_CALL(call);
  Session& session = *call;
  if (!is_stream(session, stream)) return answer(Result::InvalidHandle);
  if ((what.flags & ~flush) > unsigned(Compare::Nor) || what.address % what.bytes) return invalid_value;
  if (capturing(*call, stream)) return refuse("cuStreamWaitValue in a capture");
  const StreamLine at = stream_line_of(session, stream);
  const auto wait = [&session, what] {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      const Held held(session);
      if (is_met(session, what)) return;
    }
  };
  const auto then = [&session, at, what] {
    if (session.order().is_followed()) line_of(at).clock.join(clocks()[what.address]);
  };
  std::vector<u64> after = tickets_before(session, at);
  if (after.empty() && is_met(session, what))
    then();
  else
    session.backlog().call(at, std::move(after), wait, then);
  return success;
}

int write_value(Stream* stream, const Value& what) {
  RW_CALL(call);
  Session& session = *call;
  if (!is_stream(session, stream)) return answer(Result::InvalidHandle);
  if ((what.flags & ~no_barrier) || what.address % what.bytes) return invalid_value;
  if (capturing(*call, stream)) return refuse("cuStreamWriteValue in a capture");
  const StreamLine at = stream_line_of(session, stream);
  return answer(submit(session, stream, NodeKind::Empty, [&session, at, what] {
    ResolvedAddress resolved;
    if (!session.memory().check(resolved, what.address, what.bytes, true, "cuStreamWriteValue") || !resolved.allocation)
      return Result::InvalidValue;
    Allocation& memory = *resolved.allocation;
    std::memcpy(memory.data + resolved.offset, &what.value, what.bytes);
    if (memory.initialized) set_bits(memory.initialized, resolved.offset, resolved.offset + what.bytes);
    if (!session.order().is_followed() || (what.flags & no_barrier)) return Result::Success;
    const Clock& clock = clocks()[what.address] = line_of(at).clock;
    if (memory.is_on_host()) has_waited(session, clock);  // it may look there
    return Result::Success;
  }));
}

// CUstreamBatchMemOpParams
struct BatchOperation {
  static constexpr int wait_32 = 1, write_32 = 2, flush_remote = 3, wait_64 = 4, write_64 = 5, barrier = 6;
  int kind;
  DevicePointer address;
  u64 value;
  unsigned flags;
  DevicePointer alias;
  u64 pad;
};
static_assert(sizeof(BatchOperation) == 48);

}  // namespace

#define RW_VALUES(bits)                                                                                         \
  RW_CUDA cuStreamWaitValue##bits(Stream* stream, DevicePointer address, u##bits value, unsigned flags) {       \
    return wait_value(stream, {address, value, bits / 8, flags});                                               \
  }                                                                                                             \
  RW_CUDA cuStreamWaitValue##bits##_v2(Stream* stream, DevicePointer address, u##bits value, unsigned flags) {  \
    return wait_value(stream, {address, value, bits / 8, flags});                                               \
  }                                                                                                             \
  RW_CUDA cuStreamWriteValue##bits(Stream* stream, DevicePointer address, u##bits value, unsigned flags) {      \
    return write_value(stream, {address, value, bits / 8, flags});                                              \
  }                                                                                                             \
  RW_CUDA cuStreamWriteValue##bits##_v2(Stream* stream, DevicePointer address, u##bits value, unsigned flags) { \
    return write_value(stream, {address, value, bits / 8, flags});                                              \
  }
RW_VALUES(32)
RW_VALUES(64)

RW_CUDA cuStreamBatchMemOp_v2(Stream* stream, unsigned count, const BatchOperation* all, unsigned flags) {
  if (flags || (count && !all)) return invalid_value;
  for (unsigned n = 0; n < count; ++n) {
    const BatchOperation& one = all[n];
    const bool is_wide = one.kind == BatchOperation::wait_64 || one.kind == BatchOperation::write_64;
    const Value what{one.address, is_wide ? one.value : u32(one.value), is_wide ? 8u : 4u, one.flags};
    int result = success;
    if (one.kind == BatchOperation::wait_32 || one.kind == BatchOperation::wait_64)
      result = wait_value(stream, what);
    else if (one.kind == BatchOperation::write_32 || one.kind == BatchOperation::write_64)
      result = write_value(stream, what);
    else if (one.kind != BatchOperation::flush_remote && one.kind != BatchOperation::barrier)
      return invalid_value;
    if (result != success) return result;
  }
  return success;
}
RW_CUDA cuStreamBatchMemOp(Stream* stream, unsigned count, const BatchOperation* all, unsigned flags) {
  return cuStreamBatchMemOp_v2(stream, count, all, flags);
}

}  // namespace ropewalk::driver
