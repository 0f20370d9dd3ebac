// What the virtual GPU does not have: the function is there, and says so to its caller and to the report. A function
// that another file defines takes the place of the weak one here.
#include "lib/driver/api/all_functions.h"
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

int unsupported(const char* function) {
  Held()->unsupported(function);
  return answer(Result::NotSupported);
}

}  // namespace

#define RW_UNSUPPORTED(name) \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return unsupported(#name); }
ROPEWALK_ALL_DRIVER_FUNCTIONS(RW_UNSUPPORTED)

}  // namespace ropewalk::driver
