// A library in CUPTI's place: it has the functions that a trace uses, and passes on what the stand-in driver of the program
// tells. ROPEWALK_STAND_IN_SUBSCRIBED=1: another tool listens already.
#include <dlfcn.h>

#include <cstdlib>
#include <set>

#include "lib/gpu/cupti_api.h"

using namespace ropewalk;
using namespace ropewalk::cupti;

namespace {

constexpr Result invalid_parameter = 1;
const int the_subscriber = 0;

template <class Function>
Function* in_driver(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

extern "C" {

Result cuptiGetVersion(u32* version) {
  *version = 130001;
  return success;
}

Result cuptiGetResultString(Result result, const char** text) {
  *text = result == multiple_subscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR_INVALID_PARAMETER";
  return success;
}

Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* user) {
  if (std::getenv("ROPEWALK_STAND_IN_SUBSCRIBED")) return multiple_subscribers;
  *subscriber = reinterpret_cast<Subscriber>(const_cast<int*>(&the_subscriber));
  in_driver<void(Callback, void*)>("stand_in_cupti_listens")(callback, user);
  return success;
}

Result cuptiEnableCallback(u32 enable, Subscriber subscriber, int domain, u32 id) {
  const bool is_known = reinterpret_cast<const int*>(subscriber) == &the_subscriber && domain == driver_domain && enable == 1;
  if (!is_known || id == 0 || id > 810) return invalid_parameter;
  in_driver<void(u32)>("stand_in_cupti_enables")(id);
  return success;
}

}  // extern "C"
