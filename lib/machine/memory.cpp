#include "lib/machine/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/launch/allowed.h"
#include "lib/launch/contents.h"
#include "lib/launch/values.h"
#include "lib/machine/reach.h"
#include "lib/machine/residents.h"
#include "lib/machine/variables.h"

namespace ropewalk::machine {

namespace {

// A variable of a module is part of its image, and those are far smaller.
constexpr u64 most_bytes_of_a_variable = u64(1) << 32;
// Contents of a tensor larger than this are made when they are touched.
constexpr u64 lazy_from = u64(32) << 20;

}  // namespace

Memory::Memory(const Launch& launch, const Code& code, const RunOptions& options, const std::set<i32>& logged,
               Residents& residents)
    : launch_(launch) {
  windows_.emplace_back();
  indices_.resize(process_windows);
  place_variables(code);
  place_tensors();
  const auto use = [&](const TensorArgument& argument, i32 number) {
    if (argument.region >= 0) place_region(argument.tensor, argument.region);
    Window& window = windows_[index_of(address_of(argument))];
    window.argument = window.argument == -1 && !argument_seen(argument) ? number : -2;
    seen_.push_back({argument.tensor, argument.region});
  };
  for (u32 i = 0; i < launch.arguments.size(); ++i) {
    for_tensors(launch.arguments[i], [&](const TensorArgument& tensor, u64) { use(tensor, i32(i)); });
  }
  pack_parameters(code);
  for (const LaunchVariable& variable : launch.variables) set_variable(variable);
  for (u32 n = 0; n < launch.tensors.size(); ++n) put_pointers(tensor(n), launch.tensors[n].pointers);
  decide_tracking(code, options.checks.has(Check::Races), logged);
  note_widest(code);
  if (options.note_touched) note_touches(code);
  for (Window& window : windows_) {
    window.watched = window.tracked || window.owned || window.touches;
    if (SavedMemory* const kept = window.data ? residents.at(window.data, window.bytes) : nullptr) {
      window.kept = kept;
      window.touched = kept->touched();
    }
  }
}

Memory::~Memory() = default;

void touch_chunks(const Window& window, u64 first, u64 last) {
  if (window.kept) return window.kept->keep(first, last);
  for (u64 n = first / touched_chunk; n <= (last - 1) / touched_chunk; ++n)
    __atomic_store_n(&window.touched[n], u8(1), __ATOMIC_RELAXED);
}

bool Memory::argument_seen(const TensorArgument& argument) const {
  return std::any_of(seen_.begin(), seen_.end(),
                     [&](const auto& seen) { return seen.first == argument.tensor && seen.second == argument.region; });
}

// Resident memory has the windows of its addresses, everything else those after them.
void Memory::place_tensors() {
  tensor_windows_.resize(launch_.tensors.size());
  const auto own_window = [&](const LaunchTensor& tensor) {
    return tensor.resident ? window_of(tensor.resident->address) : 0;
  };
  windows_.reserve(windows_.size() + 2 * launch_.tensors.size());
  for (u32 n = 0; n < launch_.tensors.size(); ++n) {
    const u64 number = own_window(launch_.tensors[n]);
    if (number < process_windows) continue;
    if (number < indices_.size() && indices_[number]) {
      throw InputError(fmt::format("{}: the module has more than {} variables in memory", launch_.module->path,
                                   first_resident_window - process_windows));
    }
    place_tensor(n, number);
  }
  for (u32 n = 0; n < launch_.tensors.size(); ++n) {
    if (own_window(launch_.tensors[n]) >= process_windows) continue;
    place_tensor(n, indices_.size());
  }
}

u32 Memory::add(u64 number, Window window) {
  if (number >= most_windows) throw InputError("a launch with too many tensors");
  if (number >= indices_.size()) indices_.resize(number + 1);
  window.index = indices_[number] = u32(windows_.size());
  windows_.push_back(std::move(window));
  return indices_[number];
}

void Memory::place_tensor(u32 n, u64 number) {
  const LaunchTensor& tensor = launch_.tensors[n];
  const u64 bytes = tensor.bytes();
  Window window;
  constexpr u64 page = 4096;
  const u64 alignment = tensor.alignment ? tensor.alignment : 1;
  window.base = generic_base(number) + window_lead + (tensor.resident ? tensor.resident->address % page : alignment);
  window.bytes = bytes;
  window.tensor = i32(n);
  window.name = tensor.name;
  window.freed = tensor.freed;
  if (bytes > most_window_bytes)
    throw InputError(fmt::format("tensor {}: {} bytes are more than a window holds", tensor.name, bytes));
  if (tensor.resident)
    show_resident(window, *tensor.resident);
  else
    fill(window, tensor);
  const bool gaps = tensor.regions.empty() && has_forbidden_bytes(tensor);
  if (gaps && bytes <= (u64(1) << 32)) {
    u64* allowed = storage_.take_bits(bytes);
    mark_allowed(tensor, nullptr, allowed);
    window.allowed = allowed;
  }
  // With regions, what belongs to none of them must not be touched by an argument for the whole tensor either.
  if (!tensor.regions.empty()) {
    u64* allowed = storage_.take_bits(bytes);
    mark_allowed(tensor, -1, allowed);
    window.allowed = allowed;
  }
  const u32 index = tensor_windows_[n] = add(number, std::move(window));
  if (tensor.resident && window_of(tensor.resident->address) < process_windows && bytes) {
    of_process_.emplace(tensor.resident->address + bytes - 1, index);
  }
}

void Memory::end_privacy() {
  for (Window& window : windows_) window.is_private = false;
}

void Memory::show_resident(Window& window, const Resident& resident) {
  if (window_of(resident.address) >= process_windows) window.base = resident.address;
  window.data = resident.data;
  window.initialized = resident.initialized;
  window.is_private = resident.is_private && resident.initialized;
  window.undefined_bits = resident.undefined_bits;
  if (!resident.granules) return;
  window.allowed = resident.granules;
  window.allowed_shift = Resident::granule_shift;
}

u64 Memory::of_the_launch(u64 address) const {
  const auto in = [&](const auto& at) {
    const Window& window = windows_[at.second];
    return window.base + (address - (at.first + 1 - window.bytes));
  };
  const auto at = of_process_.lower_bound(address);  // the first that ends there or later
  const u64 start = at == of_process_.end() ? ~u64(0) : at->first + 1 - windows_[at->second].bytes;
  if (address >= start) return in(*at);
  // Beside one by less than a page it is an access past that one's end or before its start.
  constexpr u64 page = 4096;
  if (at != of_process_.begin() && address - std::prev(at)->first < page) return in(*std::prev(at));
  return start - address < page ? in(*at) : address;
}

// What a tensor of the launch's own holds at first.
void Memory::fill(Window& window, const LaunchTensor& tensor) {
  const u64 bytes = window.bytes;
  window.data = storage_.take(bytes, false);
  const bool uninitialized = std::holds_alternative<Uninitialized>(tensor.init);
  window.scratch = uninitialized && !tensor.output;
  if (uninitialized) {
    window.initialized = storage_.take_bits(bytes);
    window.poisoned = nullptr;
    // Floats that nobody wrote read as NaN, integers as -1: neither passes for a result.
    if (bytes < Storage::large) std::memset(window.data, 0xff, bytes);
  } else if (bytes > lazy_from && is_gap_free(tensor) && !std::holds_alternative<Given>(tensor.init) &&
             tensor.pointers.empty() && tensor.unwritten.empty()) {
    window.initialized = storage_.take_bits(bytes);
    lazy_.push_back(std::make_unique<Lazy>());
    lazy_.back()->tensor = &tensor;
    lazy_.back()->chunks = (bytes + Lazy::chunk - 1) / Lazy::chunk;
    lazy_.back()->done = reinterpret_cast<std::atomic<u8>*>(storage_.take(lazy_.back()->chunks));
    window.lazy = lazy_.back().get();
  } else {
    fill_tensor(tensor, window.data, 0, bytes);
    if (tensor.unwritten.empty()) return;
    window.initialized = storage_.take_bits(bytes);
    set_bits(window.initialized, 0, bytes);
    for (const auto& [first, last] : tensor.unwritten) {
      clear_bits(window.initialized, first, last);
      std::memset(window.data + first, 0xff, last - first);  // as above
    }
  }
}

void Memory::place_region(u32 tensor, i32 region) {
  for (const RegionWindow& known : region_windows_) {
    if (known.tensor == tensor && known.region == region) return;
  }
  // The same bytes at another address: what an argument for this region may touch is this region alone.
  Window window = windows_[tensor_windows_[tensor]];
  const LaunchTensor& description = launch_.tensors[tensor];
  window.base = generic_base(indices_.size()) + window_lead + description.alignment;
  window.region = region;
  window.argument = -1;
  u64* allowed = storage_.take_bits(window.bytes);
  mark_allowed(description, region, allowed);
  window.allowed = allowed;
  const i64 start = start_of(description, description.regions[u32(region)]);
  const u32 index = add(indices_.size(), std::move(window));
  region_windows_.push_back({tensor, region, index, u64(start) * size_of(description.dtype)});
}

void Memory::place_variables(const Code& code) {
  const auto& variables = code.module->variables;
  if (variables.size() >= most_windows) {
    throw InputError(
        fmt::format("{}: {} variables, expected {} at most", code.module->path, variables.size(), most_windows - 1));
  }
  for (u32 id = 0; id < variables.size(); ++id) {
    const ptx::Variable& variable = variables[id];
    if (variable.bytes() > most_bytes_of_a_variable) {
      throw InputError(fmt::format("{}: the variable {} has {} bytes, expected {} at most", code.module->path,
                                   variable.name, variable.bytes(), most_bytes_of_a_variable));
    }
    Window window;
    window.name = variable.name;
    const bool in_memory = variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
    if (in_memory && variable.bytes() > 0) {
      window.base = address_of_variable(id);
      window.bytes = variable.bytes();
      window.data = storage_.take(variable.bytes());
      window.space = variable.space == ptx::Space::Const ? MemorySpace::Constant : MemorySpace::Global;
      window.read_only = variable.space == ptx::Space::Const;
      fill_variable(*code.module, id, window.data, window.bytes);
    }
    add(variable_window(id), std::move(window));
  }
  if (code.uses_grid_workspace) {
    Window window;
    window.name = "the grid's barrier";
    window.base = grid_workspace(variables.size());
    window.bytes = grid_workspace_bytes;
    window.data = storage_.take(window.bytes);
    const u32 bytes = grid_workspace_bytes;
    std::memcpy(window.data, &bytes, sizeof bytes);
    add(window_of(window.base), std::move(window));
  }
}

Window& Memory::variable_named(const std::string& name) {
  const auto& variables = launch_.module->variables;
  const auto at = std::ranges::find(variables, name, &ptx::Variable::name);
  const u64 number = variable_window(u64(at - variables.begin()));
  if (at == variables.end() || !windows_[indices_[number]].data) {
    throw InputError(fmt::format("{}: there is no variable {} in memory", launch_.module->path, name));
  }
  return windows_[indices_[number]];
}

void Memory::put_pointers(const Window& window, const std::vector<LaunchPointer>& pointers) {
  for (const LaunchPointer& pointer : pointers) {
    const Window& target = pointer.tensor >= 0 ? tensor(u32(pointer.tensor)) : variable_named(pointer.variable);
    const u64 address = target.base + u64(pointer.offset);
    if (pointer.at + 8 <= window.bytes) std::memcpy(window.data + pointer.at, &address, 8);
  }
}

void Memory::set_variable(const LaunchVariable& variable) {
  Window& window = variable_named(variable.name);
  if (variable.tensor >= 0) {
    const Window& whole = tensor(u32(variable.tensor));
    window.data = whole.data;
    window.initialized = whole.initialized;
    window.is_private = whole.is_private;
    window.undefined_bits = whole.undefined_bits;
    window.shown_tensor = variable.tensor;
    return;
  }
  std::memcpy(window.data, variable.bytes.data(), std::min<u64>(variable.bytes.size(), window.bytes));
  put_pointers(window, variable.pointers);
}

u64 Memory::address_of(const TensorArgument& argument) const {
  for (const RegionWindow& known : region_windows_) {
    if (known.tensor == argument.tensor && known.region == argument.region) {
      return windows_[known.window].base + known.start;
    }
  }
  return windows_[tensor_windows_[argument.tensor]].base;
}

void Memory::put(const std::variant<TensorArgument, ScalarArgument, NullArgument>& value, u64 at) {
  u64 bits = 0;
  u32 bytes = 8;
  if (const auto* tensor = std::get_if<TensorArgument>(&value)) {
    bits = address_of(*tensor) + u64(tensor->offset_elements) * size_of(launch_.tensors[tensor->tensor].dtype);
  } else if (const auto* scalar = std::get_if<ScalarArgument>(&value)) {
    bits = scalar->bits;
    bytes = size_of(scalar->dtype);
  }
  if (at + bytes <= parameters_.size()) std::memcpy(parameters_.data() + at, &bits, bytes);
}

void Memory::pack_parameters(const Code& code) {
  parameters_.assign(code.parameter_bytes, std::byte(0));
  const u32 module_variables = u32(code.module->variables.size());
  for (u32 i = 0; i < launch_.arguments.size() && i < code.function.parameter_count; ++i) {
    const u64 at = code.variable_offset[module_variables + code.function.return_count + i];
    for_values(launch_.arguments[i], [&](const auto& value, u64 byte) { put(value, at + byte); });
  }
}

// The tensors that the code reaches by the name of a variable, too.
std::set<i32> Memory::named_tensors(const Code& code) {
  std::set<i32> out;
  for (const ptx::Operand& operand : code.function.operands) {
    if (operand.kind != ptx::Operand::Kind::Variable || operand.id >= code.module->variables.size()) continue;
    const ptx::Variable& variable = code.module->variables[operand.id];
    if (variable.space == ptx::Space::Global) out.insert(variable_named(variable.name).shown_tensor);
  }
  return out;
}

void Memory::decide_tracking(const Code& code, bool races, const std::set<i32>& logged) {
  const auto [loaded, stored, changed] = reached_by(launch_, code);
  const std::set<i32> named = named_tensors(code);
  for (Window& window : windows_) {
    if (!window.data) continue;
    window.loaded = loaded.has(window.tensor);
    if (window.space == MemorySpace::Constant || !races || !stored.has(window.tensor)) continue;
    window.tracked = window.tensor < 0 || logged.contains(window.tensor) || named.contains(window.tensor);
    window.owned = !window.tracked && window.loaded && !changed.has(window.tensor);
    window.counted = !window.tracked && !window.owned;
    if (window.counted) counted_.push_back(u32(&window - windows_.data()));
  }
  // Regions of one tensor are windows on the same bytes, with the same bitmaps.
  for (u32 n = 0; n < tensor_windows_.size(); ++n) {
    Window& whole = windows_[tensor_windows_[n]];
    if (!whole.data) continue;
    if (whole.bytes > sparse_from) {
      whole.touched = reinterpret_cast<u8*>(storage_.take(whole.bytes / touched_chunk + 1));
    }
    if (!stored.has(i32(n))) continue;
    const bool from_nothing = whole.initialized && !whole.lazy && !launch_.tensors[n].resident;
    whole.written = from_nothing ? whole.initialized : storage_.take_bits(whole.bytes);
    if (whole.tracked) whole.differing = storage_.take_bits(whole.bytes);
    for (const RegionWindow& known : region_windows_) {
      if (known.tensor != n) continue;
      windows_[known.window].written = whole.written;
      windows_[known.window].differing = whole.differing;
      windows_[known.window].touched = whole.touched;
    }
  }
  // And so is a variable.
  for (Window& window : windows_) {
    if (window.shown_tensor < 0) continue;
    const Window& whole = tensor(u32(window.shown_tensor));
    window.written = whole.written;
    window.differing = whole.differing;
  }
}

void Memory::note_widest(const Code& code) {
  widest_stored_ = machine::widest_stored(launch_, code);
  std::vector<u8*> of_tensor;
  for (u32 n = 0; n < launch_.tensors.size(); ++n) {
    const auto& resident = launch_.tensors[n].resident;
    u8* const kept = resident ? resident->widest_stored : nullptr;
    if (kept) *kept = std::max(*kept, widest_stored_[n]);
    if (!launch_.tensors[n].unwritten.empty()) widest_stored_[n] = std::max<u8>(widest_stored_[n], 4);  // by others
    of_tensor.push_back(kept ? kept : &widest_stored_[n]);
  }
  for (Window& window : windows_) {
    if (window.tensor >= 0) window.widest_stored = of_tensor[u32(window.tensor)];
  }
  for (const LaunchVariable& variable : launch_.variables) {
    if (variable.tensor >= 0) variable_named(variable.name).widest_stored = of_tensor[u32(variable.tensor)];
  }
}

// Windows on the same bytes have the same bits.
void Memory::note_touches(const Code& code) {
  const ReachedBy reached = reached_by(launch_, code);
  std::map<const std::byte*, std::pair<Touches*, Touches*>> by_data;
  const auto new_touches = [&](u64 bytes) {
    touches_.emplace_back();
    for (u64*& bits : touches_.back().bits) bits = storage_.take_bits(bytes);
    return &touches_.back();
  };
  for (u32 n = 0; n < launch_.tensors.size(); ++n) {
    const bool is_variable = std::ranges::find(launch_.variables, i32(n), &LaunchVariable::tensor) !=
                             launch_.variables.end();  // these are reached by name
    const bool is_reached = is_variable || reached.loads.has(i32(n)) || reached.stores.has(i32(n));
    const Window& window = tensor(n);
    if (!launch_.tensors[n].resident || window.freed || !window.data || !is_reached) continue;
    by_data[window.data] = {new_touches(window.bytes), code.waits_for_grid ? new_touches(window.bytes) : nullptr};
  }
  for (Window& window : windows_) {
    const auto at = window.data ? by_data.find(window.data) : by_data.end();
    if (at != by_data.end()) std::tie(window.touches, window.early) = at->second;
  }
}

std::set<i32> Memory::tensors_to_log(const std::vector<u64>& stored_bytes, const std::vector<u64>& atomic_bytes) const {
  std::vector<u64> by_tensor(tensor_windows_.size(), 0), by_atomics = by_tensor;
  for (u32 n = 0; n < windows_.size() && n < stored_bytes.size(); ++n) {
    if (!windows_[n].counted) continue;
    by_tensor[u32(windows_[n].tensor)] += stored_bytes[n];
    by_atomics[u32(windows_[n].tensor)] += atomic_bytes[n];
  }
  std::set<i32> out;
  for (u32 n = 0; n < tensor_windows_.size(); ++n) {
    const Window& window = tensor(n);
    if (!window.counted) continue;
    if (by_atomics[n] && (window.loaded || by_tensor[n])) out.insert(i32(n));
    if (by_tensor[n] == 0) continue;
    u64 bits = 0;
    for_touched(window, [&](u64 first, u64 last) {
      const u64 from = first / 64, words = (last + 63) / 64 - from;
      bits += count_bits(window.written + from, words);
      // What was lost was stored, too.
      for (u64 n = from; window.poisoned && n < from + words; ++n) {
        const u64 lost = window.poisoned[n] & ~window.written[n];
        bits += count_bits(&lost, 1);
      }
    });
    if (window.loaded || bits != by_tensor[n]) out.insert(i32(n));
  }
  return out;
}

bool Memory::materialize(const Window& window, u64 first, u64 last) {
  Lazy& lazy = *window.lazy;
  bool made = false;
  for (u64 chunk = first / Lazy::chunk; chunk <= (last - 1) / Lazy::chunk; ++chunk) {
    if (lazy.done[chunk].load(std::memory_order_acquire)) continue;
    const std::lock_guard lock(lazy.mutex);
    if (lazy.done[chunk].load(std::memory_order_relaxed)) continue;
    const u64 from = chunk * Lazy::chunk, to = std::min(window.bytes, from + Lazy::chunk);
    fill_tensor(*lazy.tensor, window.data, from, to);
    set_bits(window.initialized, from, to);
    lazy.done[chunk].store(1, std::memory_order_release);
    made = true;
  }
  return made;
}

void Memory::keep_poison(u32 number) {
  const std::lock_guard lock(poison_mutex_);
  Window& window = windows_[number];
  if (window.poisoned) return;
  u64* initialized = window.initialized;
  if (!initialized) {
    initialized = storage_.take_bits(window.bytes);
    // Elements alone hold anything, and gaps between them may be far larger.
    if (window.tensor >= 0)
      mark_allowed(launch_.tensors[u64(window.tensor)], nullptr, initialized);
    else
      set_bits(initialized, 0, window.bytes);
  }
  u64* const poisoned = storage_.take_bits(window.bytes);
  for (Window& other : windows_) {
    if (&other != &window && (other.tensor != window.tensor || window.tensor < 0)) continue;
    other.initialized = initialized;
    other.poisoned = poisoned;
  }
}

void Memory::lose_written(u32 number) {
  keep_poison(number);
  const Window& window = windows_[number];
  for_touched(window, [&](u64 first, u64 last) {
    for (u64 word = first / 64; word < (last + 63) / 64; ++word) {
      window.poisoned[word] |= window.written[word];
      window.initialized[word] &= ~window.poisoned[word];
    }
  });
}

void Memory::end_poison() {
  for (u32 n = 0; n < launch_.tensors.size(); ++n) {
    const Window& window = tensor(n);
    if (!launch_.tensors[n].resident || !window.poisoned) continue;
    for (u64 word = 0; word < (window.bytes + 63) / 64; ++word) window.initialized[word] |= window.poisoned[word];
  }
}

void Memory::stop_tracking(u32 number) {
  for (Window& window : windows_) {
    if (&window == &windows_[number] || (window.tensor >= 0 && window.tensor == windows_[number].tensor))
      window.tracked = false;
  }
}

}  // namespace ropewalk::machine
