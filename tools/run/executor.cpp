#include "tools/run/executor.h"

#include "lib/base/error.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"

namespace ropewalk {

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

std::string why_unavailable(ExecutorChoice choice) {
  if (choice != ExecutorChoice::Gpu) return "";
  return "executor " + name_of(choice) + " is not available in this build";
}

std::unique_ptr<Executor> make_executor(ExecutorChoice choice) {
  if (choice == ExecutorChoice::Instrumented) return gpu::make_instrumented(machine::make_machine());
  if (choice != ExecutorChoice::Machine) throw InternalError(why_unavailable(choice));
  return machine::make_machine();
}

}  // namespace ropewalk
