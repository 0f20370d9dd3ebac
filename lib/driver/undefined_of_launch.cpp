#include "lib/driver/undefined_of_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ropewalk::driver {

Allocation* allocation_of(const DeviceMemory& memory, const LaunchTensor& tensor) {
  return tensor.resident ? memory.find(tensor.resident->address).allocation : nullptr;
}

namespace {

// Whether nothing but the tensor's own old bytes is undefined in what was stored there.
bool is_in_place(const UndefinedStore& store, const std::string& tensor) {
  return std::ranges::all_of(store.findings,
                             [&](const Finding& it) { return it.access && it.access->tensor == tensor; });
}

// Of what was read from global memory it was known whether it pads a struct.
bool may_pad(const UndefinedStore& store) {
  const auto is_known = [](const Finding& it) { return it.access && it.access->space == "global"; };
  return !store.is_number && !std::ranges::all_of(store.findings, is_known);
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
    UndefinedBytes::Part part{.is_result = !is_scratch, .may_pad = may_pad(store)};
    for (const auto& [first, last] : store.ranges) part.bytes.add(first, last);
    kept.push_back(std::make_shared<UndefinedStored>());
    for (Finding& finding : store.findings) kept.back()->push_back(make(std::move(finding)));
    part.stored = kept.back();
    at->undefined.add(std::move(part));
  }
  for (const Stored& stored : kept) follow_back(stored);
}

// Of bytes that were stored anew nothing is known that was known before.
void UndefinedOfLaunch::keep_bits(Allocation& at, std::size_t tensor) {
  for (const UndefinedStore& store : outcome_.undefined_stores) {
    if (store.tensor == tensor) forget(at.undefined_bits, store.ranges);
  }
  UndefinedBits& stored = outcome_.tensors[tensor].undefined_bits;
  stored.merge(at.undefined_bits);
  at.undefined_bits = std::move(stored);
}

// What was read there had been stored by somebody who is the defect.
void UndefinedOfLaunch::follow_back(const Stored& stored) {
  UndefinedStored roots;
  for (DeferredFinding& one : *stored) {
    std::vector<std::shared_ptr<const UndefinedStored>> before = stores_read_by(one.finding);
    std::erase(before, stored);
    for (const auto& root : before) {
      for (DeferredFinding of_root : *root) {
        of_root.finding.evidence.push_back(used_by(one.finding));
        roots.push_back(std::move(of_root));
      }
    }
    if (before.empty()) roots.push_back(std::move(one));
  }
  *stored = std::move(roots);
}

void UndefinedOfLaunch::report_used() {
  std::erase_if(outcome_.findings, [&](const Finding& read) {
    const auto stores = stores_read_by(read);
    for (const auto& store : stores) session_.report(*store, {used_by(read)});
    return !stores.empty();
  });
}

std::vector<std::shared_ptr<const UndefinedStored>> UndefinedOfLaunch::stores_read_by(const Finding& read) const {
  if (read.rule != Rule::UninitializedRead || !read.access || !read.access->byte_offset) return {};
  const i64 tensor = launch_.tensor_named(read.access->tensor);
  const Allocation* const at =
      tensor < 0 ? nullptr : allocation_of(session_.memory(), launch_.tensors[u64(tensor)]);
  if (!at || at->undefined.empty()) return {};
  const u64 first = u64(*read.access->byte_offset);
  return at->undefined_among(first, first + read.access->bytes);
}

std::string UndefinedOfLaunch::used_by(const Finding& read) const {
  const std::string by = fmt::format("the value is read by launch {} of {}", request_.kernel->launches,
                                     request_.kernel->shown_name);
  if (!read.location) return by;
  const FindingLocation& at = *read.location;
  if (at.file.empty()) return by + " at " + at.instruction;
  return fmt::format("{} at {}:{}", by, std::filesystem::path(at.file).filename().string(), at.line);
}

}  // namespace ropewalk::driver
