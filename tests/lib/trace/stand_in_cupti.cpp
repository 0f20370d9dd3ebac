// A library in CUPTI's place: it has the functions that a trace uses, and passes on what the stand-in driver of the
// program tells. ROPEWALK_STAND_IN_SUBSCRIBED=1: another tool listens already. Its activity records are those that the
// program itself gives, by a function stand_in_kernel_record.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "lib/gpu/activity_layout.h"
#include "lib/gpu/cupti_api.h"

using namespace ropewalk;
using namespace ropewalk::gpu::cupti;

namespace {

constexpr Result invalid_parameter = 1;
const int the_subscriber = 0;
GiveBuffer give = nullptr;
TakeBuffer take = nullptr;
bool is_enabled = false;

template <class Function>
Function* in_driver(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

extern "C" {

Result cuptiGetVersion(u32* version) {
  const char* given = std::getenv("ROPEWALK_STAND_IN_CUPTI_VERSION");
  *version = given ? u32(std::atoi(given)) : 130001;
  return success;
}

Result cuptiGetResultString(Result result, const char** text) {
  *text = result == multiple_subscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                         : "CUPTI_ERROR_INVALID_PARAMETER";
  return success;
}

Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* user) {
  if (std::getenv("ROPEWALK_STAND_IN_SUBSCRIBED")) return multiple_subscribers;
  *subscriber = reinterpret_cast<Subscriber>(const_cast<int*>(&the_subscriber));
  in_driver<void(Callback, void*)>("stand_in_cupti_listens")(callback, user);
  return success;
}

Result cuptiEnableCallback(u32 enable, Subscriber subscriber, int domain, u32 id) {
  const bool is_known =
      reinterpret_cast<const int*>(subscriber) == &the_subscriber && domain == driver_domain && enable == 1;
  if (!is_known || id == 0 || id > 810) return invalid_parameter;
  in_driver<void(u32)>("stand_in_cupti_enables")(id);
  return success;
}

Result cuptiActivityRegisterCallbacks(GiveBuffer given_give, TakeBuffer given_take) {
  give = given_give;
  take = given_take;
  return success;
}

Result cuptiActivityEnable(int kind) {
  if (kind != concurrent_kernel_activity || !take) return invalid_parameter;
  is_enabled = true;
  return success;
}

// One buffer with one record, where the program has one.
Result cuptiActivityFlushAll(u32 flags) {
  auto* const record_of = in_driver<bool(KernelRecord*)>("stand_in_kernel_record");
  KernelRecord record{};
  if (flags != flush_forced || !is_enabled) return invalid_parameter;
  if (!record_of || !record_of(&record)) return success;
  u8* buffer = nullptr;
  std::size_t bytes = 0, most = 0;
  give(&buffer, &bytes, &most);
  if (bytes < sizeof record || reinterpret_cast<u64>(buffer) % 8) return invalid_parameter;
  std::memcpy(buffer, &record, sizeof record);
  take(nullptr, 0, buffer, bytes, sizeof record);
  return success;
}

Result cuptiActivityGetNextRecord(u8* buffer, std::size_t valid, void** record) {
  u8* const next = *record ? static_cast<u8*>(*record) + sizeof(KernelRecord) : buffer;
  if (next + sizeof(KernelRecord) > buffer + valid) return no_more_records;
  *record = next;
  return success;
}

}  // extern "C"
