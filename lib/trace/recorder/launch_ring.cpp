#include "lib/trace/recorder/launch_ring.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace ropewalk::trace {

namespace {

// Not a power of two: the arguments of all slots would share a few lines of the cache.
constexpr u64 argument_stride = LaunchRing::most_argument_bytes + 192;

// CU_LAUNCH_PARAM_END, _BUFFER_POINTER, _BUFFER_SIZE: keys of the list `extra`.
constexpr std::uintptr_t end_key = 0, buffer_key = 1, size_key = 2;

void copy_buffer(void** extra, LaunchSlot& slot) {
  const void* buffer = nullptr;
  u64 bytes = 0;
  for (; *extra != reinterpret_cast<void*>(end_key); extra += 2) {
    if (*extra == reinterpret_cast<void*>(buffer_key)) buffer = extra[1];
    if (*extra == reinterpret_cast<void*>(size_key)) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  slot.bytes = u32(std::min<u64>(bytes, LaunchRing::most_argument_bytes));
  if (buffer) std::memcpy(slot.arguments, buffer, slot.bytes);
}

// Most parameters are a pointer or an int: a call of memcpy would cost more than the copy.
inline void copy_one(std::byte* to, const void* from, u32 bytes) {
  switch (bytes) {
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

void copy_arguments(const LaunchShape& shape, const Function* function, LaunchSlot& slot) {
  slot.bytes = 0;
  slot.unknown = "";
  if (!function) {
    slot.unknown = "the kernels of a graph are not known from the call that launches it";
  } else if (shape.extra) {
    copy_buffer(shape.extra, slot);
  } else if (!function->unknown.empty() || function->bytes > LaunchRing::most_argument_bytes) {
    slot.unknown = function->unknown.c_str();
  } else if (shape.parameters) {
    for (u64 n = 0; n < function->parameters.size(); ++n) {
      const ParameterRange range = function->parameters[n];
      copy_one(slot.arguments + range.offset, shape.parameters[n], range.bytes);
    }
    slot.bytes = function->bytes;
  }
}

}  // namespace

LaunchRing::LaunchRing(u64 least) : keep_(std::bit_ceil(least)), slots_(new LaunchSlot[keep_]) {
  // Pages that no launch needs are never there.
  void* memory = mmap(nullptr, keep_ * argument_stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  arguments_ = static_cast<std::byte*>(memory);
  for (u64 n = 0; n < keep_; ++n) slots_[n].arguments = arguments_ + n * argument_stride;
}

u64 LaunchRing::unwaited() {
  u64 out = 0;
  const u64 last = count();
  for (u64 number = last > keep_ ? last - keep_ + 1 : 1; number <= last; ++number) {
    const LaunchSlot* slot = find(number);
    if (!slot || slot->captured || slot->result.load() > gpu::success) continue;
    const u64 done = std::max(slot->stream->done.load(), slot->stream->done_operation.load());
    out += slot->returned.load() == 0 || slot->returned.load() > done;
  }
  return out;
}

LaunchSlot& LaunchRing::begin(const LaunchShape& shape, const Function* function, Stream& stream, u64 order) {
  const u64 number = ++count_;
  LaunchSlot& slot = slots_[number & (keep_ - 1)];
  const u64 before = slot.number.load(std::memory_order_relaxed);
  slot.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // who reads half of what follows finds no number
  if (before && slot.result.load() <= gpu::success && !slot.captured) {
    // What goes out of the ring may still be running.
    const u64 returned = slot.returned.load(std::memory_order_relaxed), last = returned ? returned : order;
    if (last > slot.stream->done.load(std::memory_order_relaxed) &&
        last > slot.stream->done_operation.load(std::memory_order_relaxed)) {
      raise(slot.stream->lost, last);
    }
  }
  slot.shape = shape;
  slot.function = function;
  slot.stream = &stream;
  slot.order = order;
  slot.returned.store(0, std::memory_order_relaxed);
  slot.captured = false;
  slot.result.store(-1, std::memory_order_relaxed);
  copy_arguments(shape, function, slot);
  slot.number.store(number, std::memory_order_release);
  return slot;
}

LaunchSlot* LaunchRing::find(u64 number) {
  LaunchSlot& slot = slots_[number & (keep_ - 1)];
  return number && slot.number.load(std::memory_order_acquire) == number ? &slot : nullptr;
}

}  // namespace ropewalk::trace
