#include "lib/driver/launch_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ropewalk::driver {

namespace {

// Where a view lies in the memory that elements are counted in.
std::string begin_of(const Region& view, const LaunchTensor& tensor) {
  std::vector<i64> at = {view.first_column};
  if (tensor.shape.size() > 1) at.insert(at.begin(), view.first_row);
  return fmt::format("{} begins at {}{}", view.name, tensor.name, ropewalk::text_of(at));
}

// The memory that the finding's tensor is.
void add_tensor(Finding& finding, DeviceMemory& memory, const Launch& launch, u32 device) {
  const i64 number = finding.access ? launch.tensor_named(finding.access->tensor) : -1;
  if (number < 0 || !launch.tensors[u64(number)].resident) return;
  const LaunchTensor& tensor = launch.tensors[u64(number)];
  for (const Region& region : tensor.regions) {
    if (region.name == finding.access->region) finding.evidence.push_back(begin_of(region, tensor));
  }
  const Allocation* const at = memory.find(tensor.resident->address).allocation;
  if (!at) return;
  const std::string memory_text = at->text();
  const std::string made = tensor.name == memory_text ? fmt::format("{} was made", memory_text)
                                                      : fmt::format("{} is {}, made", tensor.name, memory_text);
  add_stack(finding.evidence, made, at->made_at.lines());
  if (at->freed) add_stack(finding.evidence, fmt::format("it was freed by {}", at->freed_by), at->freed_at.lines());
  if (at->range && !at->freed && finding.rule == Rule::IllegalAddress && finding.access->byte_offset)
    finding.evidence.push_back(at->range->why_not(u64(*finding.access->byte_offset), device));
}

// It may be known by the message alone: the rule may say where the address leads.
bool is_read(const Finding& finding) {
  return finding.rule == Rule::OutOfBoundsRead || finding.message.starts_with("reads");
}

// The launch knows of no memory but what the kernel was given.
void name_memory(Finding& finding, const Allocation& at) {
  if (at.freed || finding.rule == Rule::IllegalAddress) return;
  finding.message = fmt::format("{} {}, which the kernel was not given: address {:#x}",
                                is_read(finding) ? "reads" : "writes", at.text(), *finding.address);
}

bool is_far_away(const Finding& finding, DeviceMemory& memory) {
  if (finding.rule == Rule::IllegalAddress) return true;
  if (finding.rule != Rule::OutOfBoundsRead && finding.rule != Rule::OutOfBoundsWrite) return false;
  if (finding.address) {
    const Allocation* const at = memory_at(finding, memory);
    return !at || at->freed;
  }
  if (!finding.access || finding.access->space != "global") return false;
  const i64 limit = i64(memory.limit());  // a device maps no more
  return finding.access->bytes_past_end.value_or(0) > limit || finding.access->bytes_before_start.value_or(0) > limit;
}

// A trap is an unspecified failure on a GPU.
Result answer_of(const Finding& finding) {
  const bool is_trap = finding.location && finding.location->instruction.find("trap") != std::string::npos;
  switch (finding.rule) {
    case Rule::DeviceAssert:
      return is_trap ? Result::LaunchFailed : Result::Assert;
    case Rule::LaunchFailed:
      return Result::LaunchFailed;
    case Rule::LaunchLimit:
      return Result::InvalidValue;
    default:
      return Result::Success;
  }
}

Result fault_of(const Finding& finding, DeviceMemory& memory) {
  if (finding.severity != Severity::Error) return Result::Success;
  if (finding.rule == Rule::MisalignedAccess) return Result::MisalignedAddress;
  return is_far_away(finding, memory) ? Result::IllegalAddress : Result::Success;
}

}  // namespace

Finding finding_about(const Kernel& kernel, Rule rule, std::string message) {
  return finding_once(rule, std::move(message), kernel.shown_name, kernel.entry.name);
}

const Allocation* memory_at(const Finding& finding, DeviceMemory& memory) {
  return finding.address ? memory.find(*finding.address).allocation : nullptr;
}

void add_facts(Finding& finding, Session& session, const LaunchRequest& request, const Launch& launch,
               const std::vector<std::string>& stack) {
  const Allocation* const at = memory_at(finding, session.memory());
  if (at) name_memory(finding, *at);
  const std::string device = session.options().devices > 1 ? fmt::format(" on device {}", request.device) : "";
  finding.evidence.push_back(fmt::format("launch {} of the kernel{}, grid ({}, {}, {}), block ({}, {}, {})",
                                         request.kernel->launches, device, launch.grid.x, launch.grid.y, launch.grid.z,
                                         launch.block.x, launch.block.y, launch.block.z));
  add_stack(finding.evidence, "launched", stack);
  if (at) add_stack(finding.evidence, fmt::format("it lies in {}, made", at->text()), at->made_at.lines());
  add_tensor(finding, session.memory(), launch, request.device);
  identify(finding);
}

void name_other_device(Finding& finding, const Allocation& at, const OwnerOfMemory& owner, u32 device) {
  finding.message =
      fmt::format("{} {}, which lies on device {}; the kernel was launched on device {}, which has no access to it",
                  is_read(finding) ? "reads" : "writes", owner.name, owner.device, device);
  if (at.pool)
    finding.message += " (memory of a pool: cudaMemPoolSetAccess gives it, cudaDeviceEnablePeerAccess does not)";
  finding.rule = Rule::IllegalAddress;
  finding.access = Access{.space = "global", .tensor = owner.name, .argument = owner.argument};
}

void doubt(Finding& finding) {
  if (finding.severity != Severity::Error) return;
  finding.severity = Severity::Warning;
  finding.evidence.push_back(
      "an earlier launch or library call was not run, and what it would have written is not there");
}

void doubt_values(const Outcome& outcome, Finding& finding) {
  static const std::set<Rule> of_paths = {Rule::OutOfBoundsRead,   Rule::OutOfBoundsWrite, Rule::IndexOutOfField,
                                          Rule::MisalignedAccess,  Rule::UseAfterFree,     Rule::SharedRace,
                                          Rule::BarrierDivergence, Rule::InactiveLaneRead, Rule::GlobalRace,
                                          Rule::IllegalAddress,    Rule::LaunchLimit};
  if (outcome.goes_by_data || !of_paths.contains(finding.rule)) doubt(finding);
}

bool has_errors(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& it) { return it.severity == Severity::Error; });
}

namespace {

// The first finding's that ends something.
Result first_of(const std::vector<Finding>& findings, const std::function<Result(const Finding&)>& of) {
  for (const Finding& finding : findings) {
    if (const Result result = of(finding); result != Result::Success) return result;
  }
  return Result::Success;
}

}  // namespace

Result answer_of(const std::vector<Finding>& findings) {
  return first_of(findings, [](const Finding& it) { return answer_of(it); });
}

Result fault_of(const std::vector<Finding>& findings, DeviceMemory& memory) {
  return first_of(findings, [&](const Finding& it) { return fault_of(it, memory); });
}

}  // namespace ropewalk::driver
