#include "tools/commands/plan.h"

#include "lib/base/error.h"

namespace ropewalk {

Plan plan_of(const Request& request) {
  if (const auto* kernel = std::get_if<KernelOptions>(&request.command)) return plan_of(*kernel, request.shared);
  if (const auto* launch = std::get_if<LaunchOptions>(&request.command)) return plan_of(*launch, request.shared);
  throw InternalError("a command without a plan");
}

}  // namespace ropewalk
