#include "lib/gpu/device_findings.h"

#include <fmt/format.h>

#include <csignal>

#include "lib/machine/describe.h"
#include "lib/machine/instruction_location.h"
#include "lib/machine/outputs.h"

namespace ropewalk::gpu {

namespace {

Finding about_kernel(const Launch& launch, const machine::Code& code, Rule rule, std::string message) {
  Finding out = finding_once(rule, std::move(message), launch.kernel_name.empty() ? launch.entry : launch.kernel_name,
                             code.function.name);
  out.location = machine::entry_location(code);
  identify(out);
  return out;
}

struct Failure {
  Rule rule;
  Check check;
  std::string message;
};

bool mixes_devices(const LaunchLocation& location) {
  const std::optional<u32>& current = location.current_device ? location.current_device : location.device;
  return current != location.device || (location.stream_device && location.stream_device != current);
}

// Where the tensors, the context and the stream were; empty where all were on one device.
std::string location_text(const LaunchLocation& location) {
  if (!mixes_devices(location)) return "";
  std::string text;
  if (location.device) text += fmt::format("; the tensors lie on device {}", *location.device);
  if (location.current_device) text += fmt::format(", the context of device {} was current", *location.current_device);
  if (location.stream_device)
    text += fmt::format("{} the stream is device {}'s", text.empty() ? ";" : ",", *location.stream_device);
  return text;
}

// A device says no more than the driver's error does, and the finding claims no more.
Failure failure_of(const Launch& launch, const JobState& state, const ChildEnd& end) {
  const std::string failure = failure_text(state, end) + location_text(launch.location);
  const std::string advice = "; the instrumented executor and the machine say which access it was";
  if (!end.in_time) return {Rule::Hang, Check::Hang, "runs without end on the device: " + failure};
  switch (state.code) {
    case illegal_address:
    case invalid_address_space:  // far outside, where the addresses of shared and local memory lie
      return {Rule::IllegalAddress, Check::Bounds,
              "touches an address that the device cannot reach, reading or writing: " + failure + advice};
    case misaligned_address:
      return {Rule::MisalignedAccess, Check::Alignment, "misaligned access: " + failure + advice};
    case launch_timeout:
      return {Rule::Hang, Check::Hang, "runs without end on the device: " + failure};
    case launch_out_of_resources:
      return {Rule::LaunchLimit, Check::Limits, "the device has not what the launch needs: " + failure};
    case device_assert:
      return {Rule::DeviceAssert, Check::Hang, "an assertion of the kernel failed: " + failure};
    default:
      return {Rule::LaunchFailed, Check::Hang, "the launch failed: " + failure};
  }
}

// Whether the process ended, or was ended, without an answer.
bool is_without_answer(const JobState& state, const ChildEnd& end) {
  return !end.in_time || end.signal || state.stage == JobState::Stage::Waiting;
}

// Errors that a kernel or what it was launched with causes, and not a device or a host that is full or a call of ours.
// A process without an answer says nothing of a kernel that did not run, nor does one that somebody killed.
bool is_of_launch(const Launch& launch, const JobState& state, const ChildEnd& end) {
  if (is_without_answer(state, end)) return state.launching && (!end.in_time || end.signal != SIGKILL);
  switch (state.code) {
    case illegal_address:
    case launch_out_of_resources:
    case launch_timeout:
    case device_assert:
    case hardware_stack_error:
    case illegal_instruction:
    case misaligned_address:
    case invalid_address_space:
    case invalid_pc:
    case launch_failed:
      return true;
    case invalid_handle:
    case invalid_context:
      return state.launching && mixes_devices(launch.location);
    default:
      return false;
  }
}

machine::Window window_of(const Launch& launch, u32 n, const TensorAfter& after) {
  machine::Window window;
  window.base = machine::generic_base(1 + n);
  window.bytes = launch.tensors[n].bytes();
  window.data = const_cast<std::byte*>(after.bytes);
  window.initialized = const_cast<u64*>(after.initialized);
  window.tensor = i32(n);
  window.name = launch.tensors[n].name;
  for (u32 i = 0; i < launch.arguments.size(); ++i) {
    const auto* tensor = std::get_if<TensorArgument>(&launch.arguments[i]);
    if (tensor && tensor->tensor == n) window.argument = window.argument == -1 ? i32(i) : -2;
  }
  return window;
}

}  // namespace

std::string failure_text(const JobState& state, const ChildEnd& end) {
  if (!is_without_answer(state, end)) return state.text;
  const char* when = state.launching ? "" : ", and the kernel was not running";
  if (!end.in_time) return fmt::format("it was ended when its time was over{}", when);
  if (end.signal == SIGKILL) return "its process was killed (signal 9), as the system does where memory is short";
  if (end.signal) return fmt::format("its process died of signal {}{}", end.signal, when);
  return fmt::format("its process ended with code {}{}", end.exit_code, when);
}

std::vector<Finding> findings_of_failure(const Launch& launch, const machine::Code& code, const JobState& state,
                                         const ChildEnd& end, CheckSet checks) {
  if (!is_of_launch(launch, state, end)) return {};
  const Failure failure = failure_of(launch, state, end);
  if (!checks.has(failure.check)) return {};
  return {about_kernel(launch, code, failure.rule, failure.message)};
}

std::vector<Finding> findings_after_run(const Launch& launch, const machine::Code& code, const JobState& state,
                                        const std::vector<TensorAfter>& tensors, CheckSet checks) {
  std::vector<machine::Window> windows(1);
  for (u32 n = 0; n < tensors.size(); ++n) windows.push_back(window_of(launch, n, tensors[n]));
  machine::Collector collector;
  for (u32 i = 0; checks.has(Check::Bounds) && i < state.hits; ++i) {
    const GuardHit& hit = state.hit[i];
    machine::Occurrence out;
    out.rule = Rule::OutOfBoundsWrite;
    out.step = machine::no_value;
    out.window = 1 + hit.tensor;
    out.has_access = true;
    out.offset = hit.first;
    out.bytes = 1;
    out.count = hit.bytes;
    out.detail = fmt::format("{} bytes of poison beside the tensor were overwritten", hit.bytes);
    collector.report(out);
  }
  for (u32 n = 0; checks.has(Check::Outputs) && n < tensors.size(); ++n) {
    if (launch.tensors[n].output) machine::check_written(launch.tensors[n], windows[1 + n], collector);
  }
  return collector.empty() ? std::vector<Finding>() : machine::describe(collector, launch, code, windows);
}

}  // namespace ropewalk::gpu
