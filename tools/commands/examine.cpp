#include "tools/commands/examine.h"

#include "lib/base/error.h"

namespace ropewalk {

Report examine(const Request& request) {
  const auto examined = [&](const auto& options) -> Report {
    if constexpr (requires { examine(options, request); }) return examine(options, request);
    throw InternalError("a command that checks nothing");
  };
  return std::visit(examined, request.command);
}

}  // namespace ropewalk
