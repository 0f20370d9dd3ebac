#include "tools/catching.h"

#include <cstdio>
#include <exception>
#include <new>

#include "lib/base/error.h"
#include "reports/paint.h"

namespace ropewalk::tools {
namespace {

ExitCode report(const char* program, const char* kind, const char* what, ExitCode code) {
  std::fprintf(stderr, "%s: %s: %s\n", program, kind, reports::printable(what).c_str());
  return code;
}

}  // namespace

ExitCode catching(const char* program, const std::function<ExitCode()>& body) {
  try {
    return body();
  } catch (const InputError& error) {
    return report(program, "error", error.what(), ExitCode::BadUsage);
  } catch (const std::bad_alloc&) {
    return report(program, "internal error", "out of memory", ExitCode::Internal);
  } catch (const std::exception& error) {
    return report(program, "internal error", error.what(), ExitCode::Internal);
  }
}

}  // namespace ropewalk::tools
