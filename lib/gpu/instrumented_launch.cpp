#include "lib/gpu/instrumented_launch.h"

#include <algorithm>
#include <cstring>

#include "lib/launch/allowed.h"
#include "lib/launch/values.h"

namespace ropewalk::gpu {

namespace {

using Layout = ptx::TableLayout;

bool is_in_memory(const ptx::Variable& variable) {
  return (variable.space == ptx::Space::Global || variable.space == ptx::Space::Const) && variable.bytes() > 0;
}

// visit(argument's tensor part, number of the argument, byte in it) for every tensor that arguments name.
template <class Arguments, class Visit>
void for_tensor_arguments(Arguments& arguments, Visit visit) {
  for (u32 i = 0; i < arguments.size(); ++i) {
    for_tensors(arguments[i], [&](auto& tensor, u64 byte) { visit(tensor, i, byte); });
  }
}

std::vector<Range> ranges_of(const Launch& launch) {
  std::vector<Range> ranges;
  for (u32 n = 0; n < launch.tensors.size(); ++n) ranges.push_back({i32(n), "", launch.tensors[n].bytes()});
  for (const ptx::Variable& variable : launch.module->variables) {
    if (is_in_memory(variable)) ranges.push_back({-1, variable.name, variable.bytes()});
  }
  for_tensor_arguments(launch.arguments, [&](const TensorArgument& argument, u32, u64) {
    if (argument.region < 0) return;
    const auto is_same = [&](const Range& range) {
      return range.tensor == i32(argument.tensor) && range.region == argument.region;
    };
    if (std::ranges::any_of(ranges, is_same)) return;
    ranges.push_back({i32(argument.tensor), "", launch.tensors[argument.tensor].bytes(), argument.region});
  });
  return ranges;
}

class Filler {
 public:
  Filler(const Launch& launch, const ptx::Instrumented& instrumented, u32 capacity)
      : original_(launch), instrumented_(instrumented) {
    out_.launch = launch;
    out_.launch.module = instrumented.module;
    out_.ranges = ranges_of(launch);
    out_.capacity = capacity;
    out_.first_record = u32((ptx::record_counts + 8 * instrumented.sites.size() + 15) / 16 * 16);
    table_.name = ptx::table_name;
    table_.bytes.resize(instrumented.layout.bytes);
  }

  InstrumentedLaunch fill() {
    const u64 bytes = out_.first_record + u64(out_.capacity) * sizeof(ptx::Record);
    out_.records = add_tensor("ropewalk records", bytes, Fill{0});
    point(Layout::records, i32(out_.records), "", 0);
    put<u32>(Layout::capacity, out_.capacity);
    put<u32>(Layout::first_record, out_.first_record);
    put<u32>(Layout::dynamic_shared, u32(original_.dynamic_shared_bytes));
    fill_ranges();
    if (const ptx::EntrySlots* slots = entry_slots()) {
      for (u32 n = 0; n < slots->slots.size(); ++n) fill_slot(n, slots->slots[n]);
    }
    out_.launch.variables.push_back(std::move(table_));
    for_tensor_arguments(out_.launch.arguments, [&](TensorArgument& argument, u32, u64) {
      if (argument.region < 0) return;
      const LaunchTensor& tensor = original_.tensors[argument.tensor];
      argument.offset_elements += start_of(tensor, tensor.regions[u32(argument.region)]);
      argument.region = -1;
    });
    return std::move(out_);
  }

 private:
  const ptx::EntrySlots* entry_slots() const {
    const ptx::Function* entry = original_.module->entry(original_.entry);
    return entry ? instrumented_.slots_of(entry->name) : nullptr;
  }

  template <class Number>
  void put(u32 at, Number value) {
    std::memcpy(table_.bytes.data() + at, &value, sizeof value);
  }
  void point(u32 at, i32 tensor, const std::string& variable, i64 offset) {
    table_.pointers.push_back({at, tensor, variable, offset});
  }

  u32 add_tensor(const std::string& name, u64 bytes, Init init) {
    LaunchTensor tensor;
    tensor.name = name;
    tensor.dtype = Dtype::U64;
    tensor.shape = {i64((bytes + 7) / 8)};
    tensor.strides = {1};
    tensor.init = std::move(init);
    out_.launch.tensors.push_back(std::move(tensor));
    return u32(out_.launch.tensors.size() - 1);
  }

  // Where only some bytes of a range may be touched, or none of a freed tensor, a bitmap says which.
  i32 bitmap_of(const Range& range) {
    if (range.tensor < 0) return -1;
    const LaunchTensor& tensor = original_.tensors[u32(range.tensor)];
    if (range.region < 0 && !has_forbidden_bytes(tensor) && !tensor.freed) return -1;
    std::vector<u64> words((range.bytes + 63) / 64);
    if (!tensor.freed) mark_allowed(tensor, range.region, words.data());
    auto bits = std::make_shared<Array>();
    bits->dtype = Dtype::U64;
    bits->shape = {i64(words.size())};
    bits->bytes.resize(words.size() * sizeof(u64));
    std::memcpy(bits->bytes.data(), words.data(), bits->bytes.size());
    const u64 bytes = bits->bytes.size();
    return i32(add_tensor("ropewalk fields of " + tensor.name, bytes, Given{std::move(bits), ""}));
  }

  void fill_ranges() {
    u32 searched = 0;
    for (u32 n = 0; n < out_.ranges.size(); ++n) {
      const Range& range = out_.ranges[n];
      const u32 at = Layout::ranges + n * Layout::range_bytes;
      point(at, range.tensor, range.variable, 0);
      put<u64>(at + 8, range.bytes);
      bitmaps_.push_back(bitmap_of(range));
      if (bitmaps_.back() >= 0) point(at + 16, bitmaps_.back(), "", 0);
      if (range.region < 0) searched = n + 1;
    }
    put<u32>(Layout::searched, searched);
  }

  // The range that addresses of this origin must stay in; -1: it is no tensor's pointer.
  i64 range_of(const ptx::Origin& origin) {
    i64 found = -1;
    for_tensor_arguments(original_.arguments, [&](const TensorArgument& argument, u32 number, u64 at) {
      if (i32(number) != origin.parameter || i64(at) != origin.offset) return;
      for (u32 n = 0; n < out_.ranges.size(); ++n) {
        if (out_.ranges[n].tensor == i32(argument.tensor) && out_.ranges[n].region == argument.region) found = n;
      }
    });
    return found;
  }

  void fill_slot(u32 n, const ptx::Slot& slot) {
    const u32 at = instrumented_.layout.slots + n * Layout::slot_bytes;
    const i64 number = range_of(slot.origin);
    const bool is_plain = number >= 0 && bitmaps_[u64(number)] < 0 && out_.ranges[u64(number)].bytes >= slot.bytes;
    // Bounds that no address keeps: every access is looked at closely.
    put<u64>(at, 1);
    put<u64>(at + 8, 0);
    if (is_plain) {
      const Range& range = out_.ranges[u64(number)];
      point(at, range.tensor, range.variable, -slot.displacement);
      put<u64>(at + 8, range.bytes - slot.bytes);
    }
    put<u32>(at + 16, number < 0 ? Layout::any : u32(number));
  }

  const Launch& original_;
  const ptx::Instrumented& instrumented_;
  InstrumentedLaunch out_;
  LaunchVariable table_;
  std::vector<i32> bitmaps_;  // by range: its tensor, -1: none
};

}  // namespace

u32 range_count(const Launch& launch) { return u32(ranges_of(launch).size()); }

ptx::InstrumentOptions instrument_options(const Launch& launch, CheckSet checks) {
  ptx::InstrumentOptions options;
  options.alignment = checks.has(Check::Alignment);
  options.memory = options.alignment || checks.has(Check::Bounds) || checks.has(Check::Fields);
  options.index = checks.has(Check::Index);
  options.ranges = (range_count(launch) + 15) / 16 * 16;
  return options;
}

InstrumentedLaunch instrumented_launch(const Launch& launch, const ptx::Instrumented& instrumented, u32 capacity) {
  return Filler(launch, instrumented, capacity).fill();
}

}  // namespace ropewalk::gpu
