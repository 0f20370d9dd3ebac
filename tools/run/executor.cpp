#include "tools/run/executor.h"

#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"

namespace ropewalk::tools {

std::string name_of(ExecutorChoice choice) {
  switch (choice) {
    case ExecutorChoice::Machine:
      return "machine";
    case ExecutorChoice::Instrumented:
      return "instrumented";
    case ExecutorChoice::Gpu:
      return "gpu";
  }
  return "";
}

namespace {

// Asked once: the answer costs a process.
const gpu::DeviceInfo& device() {
  static const gpu::DeviceInfo info = gpu::device_info();
  return info;
}

}  // namespace

std::string why_unavailable(ExecutorChoice choice) { return choice == ExecutorChoice::Gpu ? device().unavailable : ""; }

CheckSet checks_of(ExecutorChoice choice) {
  if (choice == ExecutorChoice::Machine) return CheckSet::all();
  if (choice == ExecutorChoice::Instrumented) return gpu::instrumented_checks();
  return gpu::gpu_checks();
}

std::unique_ptr<Executor> make_executor(const SharedOptions& shared) {
  gpu::GpuOptions options;
  options.guards = shared.guards;
  switch (shared.executor) {
    case ExecutorChoice::Machine:
      break;
    case ExecutorChoice::Instrumented:
      return gpu::make_instrumented(device().unavailable.empty() ? gpu::make_gpu(options) : machine::make_machine());
    case ExecutorChoice::Gpu:
      return gpu::make_gpu(options);
  }
  return machine::make_machine();
}

}  // namespace ropewalk::tools
