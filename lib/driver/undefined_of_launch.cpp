#include "lib/driver/undefined_of_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ropewalk::driver {

Allocation* allocation_of(const DeviceMemory& memory, const LaunchTensor& tensor) {
  return tensor.resident ? memory.find(tensor.resident->address).allocation : nullptr;
}

namespace {

constexpr u32 most_readers = 4;  // who are named that passed a value on

// Whether nothing but the tensor's own old bytes is undefined in what was stored there.
bool is_in_place(const UndefinedStore& store, const std::string& tensor) {
  return std::ranges::all_of(store.findings,
                             [&](const Finding& it) { return it.access && it.access->tensor == tensor; });
}

}  // namespace

void UndefinedOfLaunch::keep(const std::function<DeferredFinding(Finding)>& make) {
  for (std::size_t n = 0; n < outcome_.tensors.size(); ++n) {
    Allocation* const at = allocation_of(session_.memory(), launch_.tensors[n]);
    if (!at) continue;
    if (outcome_.tensors[n].may_be_loaded) at->undefined.look_at();
    keep_bits(*at, n);
  }
  std::vector<Stored> kept;
  for (UndefinedStore& store : outcome_.undefined_stores) {
    const LaunchTensor& tensor = launch_.tensors[store.tensor];
    Allocation* const at = allocation_of(session_.memory(), tensor);
    if (!at || store.findings.empty()) continue;
    const bool is_scratch = store.is_message || (store.is_read_behind && !is_in_place(store, tensor.name));
    UndefinedBytes::Part part{.is_result = !is_scratch, .pads_to = pads_to(store)};
    for (const auto& [first, last] : store.ranges) part.bytes.add(first, last);
    kept.push_back(std::make_shared<UndefinedStored>());
    for (Finding& finding : store.findings) kept.back()->push_back(make(std::move(finding)));
    part.stored = kept.back();
    at->undefined.add(std::move(part));
  }
  for (const Stored& stored : kept) follow_back(stored);
}

// What was known of bytes that were stored again is forgotten.
void UndefinedOfLaunch::keep_bits(Allocation& at, std::size_t tensor) {
  for (const UndefinedStore& store : outcome_.undefined_stores) {
    if (store.tensor == tensor) forget(at.undefined_bits, store.ranges);
  }
  UndefinedBits& stored = outcome_.tensors[tensor].undefined_bits;
  stored.merge(at.undefined_bits);
  at.undefined_bits = std::move(stored);
}

// Structs that were read from memory have no wider numbers than that had.
u64 UndefinedOfLaunch::pads_to(const UndefinedStore& store) const {
  // Padding is what nobody wrote. What a lane that is not there leaves, or a race, is none.
  const auto is_unwritten = [](const Finding& it) { return it.rule == Rule::UninitializedRead; };
  if (!std::ranges::all_of(store.findings, is_unwritten)) return 0;
  u64 widest = store.pads_to;
  for (const Finding& finding : store.findings) {
    const Allocation* const at = finding.access ? memory_read_by(finding) : nullptr;
    if (at) widest = std::min<u64>(widest, at->widest_stored);
  }
  return widest;
}

// What was read there had been stored by somebody who is the defect. It is named once.
void UndefinedOfLaunch::follow_back(const Stored& stored) {
  UndefinedStored roots;
  const auto add = [&](DeferredFinding root) {
    const auto id_of = [](const DeferredFinding& it) -> const std::string& { return it.finding.id; };
    if (std::ranges::find(roots, id_of(root), id_of) == roots.end()) roots.push_back(std::move(root));
  };
  UndefinedStored own;  // read where it is stored: a sum in memory goes on with what it is made of
  for (DeferredFinding& one : *stored) {
    std::vector<std::shared_ptr<const UndefinedStored>> before = stores_read_by(one.finding);
    const bool is_own = std::erase(before, stored) > 0;
    for (const auto& root : before) {
      for (DeferredFinding of_root : *root) {
        if (of_root.readers++ < most_readers) of_root.finding.evidence.push_back(used_by(one.finding));
        add(std::move(of_root));
      }
    }
    if (before.empty() && is_own)
      own.push_back(std::move(one));
    else if (before.empty())
      add(std::move(one));
  }
  if (roots.empty()) roots = std::move(own);
  *stored = std::move(roots);
}

void UndefinedOfLaunch::report_used() {
  std::erase_if(outcome_.findings, [&](const Finding& read) {
    const auto stores = stores_read_by(read);
    for (const auto& store : stores) session_.report(*store, {used_by(read)});
    return !stores.empty();
  });
}

const Allocation* UndefinedOfLaunch::memory_read_by(const Finding& read) const {
  const i64 tensor = launch_.tensor_named(read.access->tensor);
  return tensor < 0 ? nullptr : allocation_of(session_.memory(), launch_.tensors[u64(tensor)]);
}

std::vector<std::shared_ptr<const UndefinedStored>> UndefinedOfLaunch::stores_read_by(const Finding& read) const {
  if (read.rule != Rule::UninitializedRead || !read.access || !read.access->byte_offset) return {};
  const Allocation* const at = memory_read_by(read);
  if (!at || at->undefined.empty()) return {};
  const u64 first = u64(*read.access->byte_offset);
  return at->undefined_among(first, first + read.access->bytes);
}

std::string UndefinedOfLaunch::used_by(const Finding& read) const {
  const std::string by =
      fmt::format("the value is read by launch {} of {}", request_.kernel->launches, request_.kernel->shown_name);
  if (!read.location) return by;
  const FindingLocation& at = *read.location;
  if (at.file.empty()) return by + " at " + at.instruction;
  return fmt::format("{} at {}:{}", by, std::filesystem::path(at.file).filename().string(), at.line);
}

}  // namespace ropewalk::driver
