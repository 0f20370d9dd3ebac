#include "tools/commands/examine.h"

#include "lib/base/error.h"

namespace ropewalk::tools {
namespace {

template <class Options>
constexpr bool is_check = requires(const Options& options, const Request& request) {
  examine(options, request);
};

}  // namespace

bool checks_something(const Command& command) {
  return std::visit([]<class Options>(const Options&) { return is_check<Options>; }, command);
}

reports::Report examine(const Request& request) {
  const auto examined = [&](const auto& options) -> reports::Report {
    if constexpr (is_check<std::remove_cvref_t<decltype(options)>>) return examine(options, request);
    throw InternalError("a command that checks nothing");
  };
  return std::visit(examined, request.command);
}

}  // namespace ropewalk::tools
