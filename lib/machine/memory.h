// The machine's memory: every tensor, and every region that an argument reaches, in its own far-apart window of a
// 64-bit address space, so that an overrun never lands in a neighbour.
#pragma once
#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "lib/base/bits.h"
#include "lib/launch/launch.h"
#include "lib/launch/outcome.h"
#include "lib/machine/address.h"
#include "lib/machine/code.h"
#include "lib/machine/storage.h"

namespace ropewalk::machine {

// What an address window shows. Bitmaps have a bit a byte and are null where every byte has the property.
// A bitmap that may come into being while other workers run: whoever sees it sees what was put into it before.
class PublishedBits {
 public:
  PublishedBits() = default;
  PublishedBits(const PublishedBits& other) : words_(other) {}
  PublishedBits& operator=(const PublishedBits& other) { return *this = static_cast<u64*>(other); }
  PublishedBits& operator=(u64* words) {
    __atomic_store_n(&words_, words, __ATOMIC_RELEASE);
    return *this;
  }
  operator u64*() const { return __atomic_load_n(&words_, __ATOMIC_ACQUIRE); }

 private:
  u64* words_ = nullptr;
};

// Which bytes of resident memory were touched, a bit a byte.
struct Touches {
  u64* bits[4] = {};  // read and written, weakly and strongly
  u8 any[4] = {};     // whether a bit is set

  void note(u64 first, u64 last, bool write, bool strong) {
    const u32 kind = 2 * write + strong;
    set_bits(bits[kind], first, last);
    if (!__atomic_load_n(&any[kind], __ATOMIC_RELAXED)) __atomic_store_n(&any[kind], u8(1), __ATOMIC_RELAXED);
  }
  TouchedBytes found() const {
    const auto of = [&](u32 kind) { return any[kind] ? bits[kind] : nullptr; };
    return {of(0), of(1), of(2), of(3)};
  }
};

class SavedMemory;
class Residents;

struct Window {
  u32 index = 0;  // into Memory::windows()
  u64 base = 0;   // address of the first byte
  u64 bytes = 0;
  std::byte* data = nullptr;
  PublishedBits initialized;     // null: all bytes are
  u64* written = nullptr;        // null: nobody asks
  u64* differing = nullptr;      // with `written`: bytes that were overwritten with another value
  PublishedBits poisoned;        // bytes whose value was lost by a finding that was reported; with `initialized`
  const u64* allowed = nullptr;  // bytes that belong to an element of the region, a bit for 2^allowed_shift bytes
  u32 allowed_shift = 0;         // of reserved addresses: what is not allowed is not there
  // How races are looked for. At first in a way that costs little and proves most launches innocent: the bytes stored
  // are counted, and where the window was not read and as many bits of `written` are set as bytes were stored, nobody
  // can have raced; or, where it is read too, each chunk remembers its owner. Else a second run logs every access.
  bool counted = false;
  bool owned = false;           // see owners.h
  bool tracked = false;         // accesses are logged
  bool watched = false;         // somebody takes note of accesses: it is owned or tracked, or has touches
  bool loaded = false;          // some load may reach it
  u8* touched = nullptr;        // of a large or kept window: a byte for each chunk that was stored to
  Touches* touches = nullptr;   // null: nobody asks
  Touches* early = nullptr;     // those of them before griddepcontrol.wait; null: the kernel has none
  SavedMemory* kept = nullptr;  // of resident memory: what it held before it was stored to (residents.h)
  u8* widest_stored = nullptr;  // bytes of the widest number that may have been stored there; null: it is not known
  bool read_only = false;       // constants
  bool freed = false;
  bool is_private = false;  // what nobody wrote matters there where it is used (undefined_stores.h)
  const UndefinedBits* undefined_bits = nullptr;  // before the launch, of bytes that are not initialized
  bool scratch = false;  // empty at first, and no output: what is stored there matters where it is read again
  MemorySpace space = MemorySpace::Global;
  i32 tensor = -1;              // index into the launch, or
  i32 shown_tensor = -1;        // of a variable: the tensor of the launch whose memory it is, or
  i32 region = -1;              // into the tensor's regions
  i32 argument = -1;            // the only argument that reaches it
  std::string name;             // of the tensor or variable
  struct Lazy* lazy = nullptr;  // contents that are made when they are touched
};

// Whether bytes inside the window may be touched.
[[gnu::always_inline]] inline bool is_allowed(const Window& window, u64 first, u64 bytes) {
  return !window.allowed ||
         all_bits(window.allowed, first >> window.allowed_shift, ((first + bytes - 1) >> window.allowed_shift) + 1);
}

// Takes note of an access to bytes of the window. is_early: as in MemoryStep.
inline void note_touched(const Window& window, u64 first, u64 bytes, bool write, bool strong, bool is_early) {
  if (!window.touches) return;
  window.touches->note(first, first + bytes, write, strong);
  if (is_early && window.early) window.early->note(first, first + bytes, write, strong);
}

// Windows larger than this remember which chunks were stored to, so that nobody has to look at all of them.
constexpr u64 sparse_from = u64(1) << 24, touched_chunk = 1 << 16;

// The first store to the chunks of bytes [first, last).
void touch_chunks(const Window& window, u64 first, u64 last);

// Before bytes [first, last) of a window, less than a chunk, are stored.
[[gnu::always_inline]] inline void mark_stored(const Window& window, u64 first, u64 last) {
  if (!window.touched) return;
  const auto is_touched = [&](u64 n) { return __atomic_load_n(&window.touched[n / touched_chunk], __ATOMIC_ACQUIRE); };
  if (!is_touched(first) || !is_touched(last - 1)) touch_chunks(window, first, last);
}

// Calls body(first, last) for the ranges of bytes of a window in which something may have been stored.
template <class Body>
void for_touched(const Window& window, Body body) {
  if (!window.touched) return body(u64(0), window.bytes);
  for (u64 chunk = 0; chunk * touched_chunk < window.bytes; ++chunk) {
    const u64 first = chunk * touched_chunk;
    if (window.touched[chunk]) body(first, first + touched_chunk < window.bytes ? first + touched_chunk : window.bytes);
  }
}

// Contents of a large tensor, made in chunks at the first touch.
struct Lazy {
  static constexpr u64 chunk = 1 << 16;
  const LaunchTensor* tensor = nullptr;
  u64 chunks = 0;
  std::atomic<u8>* done = nullptr;  // by chunk
  std::mutex mutex;
};

// Everything that a launch can reach, besides what blocks have for themselves. The launch must outlive it.
class Memory {
 public:
  // Places the module's variables, the tensors and the regions that arguments reach, and makes what they hold.
  // logged: the tensors whose accesses are logged rather than counted.
  // residents: what the launch's resident tensors held before it.
  Memory(const Launch& launch, const Code& code, const RunOptions& options, const std::set<i32>& logged,
         Residents& residents);
  ~Memory();

  // An address of this process in resident memory, or less than a page beside it, as the launch knows it; any other
  // address is as it was.
  u64 canonical(u64 address) const {
    return window_of(address) >= process_windows || of_process_.empty() ? address : of_the_launch(address);
  }
  // nullptr: no window there. The address is canonical.
  const Window* find(u64 address) const {
    const Window& window = windows_[index_of(address)];
    return window.data ? &window : nullptr;
  }
  // The index into windows() of what the address's window shows; 0: nothing.
  u32 index_of(u64 address) const {
    const u64 n = window_of(address);
    return n < indices_.size() ? indices_[n] : 0;
  }
  // Those that the launch has; the first is empty.
  const std::vector<Window>& windows() const { return windows_; }
  // The index into windows() by number of the window.
  const std::vector<u32>& indices() const { return indices_; }
  // The numbers of those whose stored bytes are counted.
  const std::vector<u32>& counted() const { return counted_; }
  // Makes the contents of bytes [first, last) of a lazy window; true when something was made.
  bool materialize(const Window& window, u64 first, u64 last);
  // From now on the window remembers which of its bytes lost their value by a finding.
  void keep_poison(u32 window);
  // All that was stored in a window lost its value.
  void lose_written(u32 window);
  // What nobody wrote matters where it is stored, in private memory too.
  void end_privacy();
  // After the last run: what was lost in resident memory counts as written there, for it was reported.
  void end_poison();
  // From now on accesses to the tensor of the window are not logged.
  void stop_tracking(u32 window);
  // The counted tensors in which somebody may have raced: bytes were stored more than once, or stored and read, or both
  // by atomics and otherwise. Both counts by window.
  std::set<i32> tensors_to_log(const std::vector<u64>& stored_bytes, const std::vector<u64>& atomic_bytes) const;
  // The address of an argument's pointer, without its offset: of a region's first element, where it is for a region.
  u64 address_of(const TensorArgument& argument) const;
  // The window that shows the whole of what a window shows a part of, in the same place.
  u32 whole(u32 window) const {
    const i32 tensor = tensor_of(window);
    return tensor < 0 ? window : tensor_windows_[u32(tensor)];
  }
  // The launch tensor whose memory a window shows; -1: none's.
  i32 tensor_of(u32 window) const { return std::max(windows_[window].tensor, windows_[window].shown_tensor); }
  // The window that holds the whole of a launch tensor.
  const Window& tensor(u32 n) const { return windows_[tensor_windows_[n]]; }
  // The kernel's parameter block as the launch's arguments make it.
  const std::vector<std::byte>& parameters() const { return parameters_; }

 private:
  void place_tensors();
  void place_tensor(u32 n, u64 number);
  // Puts a window behind the others; the index.
  u32 add(u64 number, Window window);
  void show_resident(Window& window, const Resident& resident);
  void fill(Window& window, const LaunchTensor& tensor);
  u64 of_the_launch(u64 address) const;
  void place_region(u32 tensor, i32 region);
  void place_variables(const Code& code);
  void set_variable(const LaunchVariable& variable);
  Window& variable_named(const std::string& name);
  // Addresses, as this memory has them, into what a window shows.
  void put_pointers(const Window& window, const std::vector<LaunchPointer>& pointers);
  void pack_parameters(const Code& code);
  void put(const std::variant<TensorArgument, ScalarArgument, NullArgument>& value, u64 at);
  std::set<i32> named_tensors(const Code& code);
  void decide_tracking(const Code& code, bool races, const std::set<i32>& logged);
  void note_touches(const Code& code);
  void note_widest(const Code& code);
  bool argument_seen(const TensorArgument& argument) const;

  const Launch& launch_;
  Storage storage_;
  std::vector<Window> windows_;
  std::vector<u8> widest_stored_;  // by tensor, of those that are the launch's own
  std::vector<u32> indices_;
  std::vector<u32> counted_;
  std::vector<u32> tensor_windows_;  // by launch tensor
  std::map<u64, u32> of_process_;    // windows of resident memory at addresses of this process, by their last byte
  struct RegionWindow {
    u32 tensor;
    i32 region;
    u32 window;
    u64 start;
  };  // start: byte of the region's first element
  std::vector<RegionWindow> region_windows_;
  std::vector<std::pair<u32, i32>> seen_;  // tensor and region of the arguments so far
  std::vector<std::unique_ptr<Lazy>> lazy_;
  std::deque<Touches> touches_;
  std::vector<std::byte> parameters_;
  std::mutex poison_mutex_;
};

}  // namespace ropewalk::machine
