// What of CUPTI's callback interface is used, declared here so that nothing of the toolkit is needed to build: names,
// layouts and numbers as in the CUPTI reference, version 12 and 13. A test holds them against the toolkit's headers
// where those are installed.
#pragma once
#include <cstddef>

#include "lib/base/types.h"
#include "lib/gpu/driver_api.h"

namespace ropewalk::gpu::cupti {

// CUptiResult
using Result = int;
constexpr Result success = 0, no_more_records = 12, multiple_subscribers = 39;

using Subscriber = struct SubscriberOpaque*;

// CUpti_CallbackDomain
constexpr int driver_domain = 1;
// CUpti_ApiCallbackSite
constexpr int enter_site = 0, leave_site = 1;

// CUpti_CallbackData: a call of the driver, as it begins or ends.
struct CallbackData {
  int site = enter_site;
  const char* function = nullptr;
  const void* parameters = nullptr;  // the struct of the call's arguments
  void* result = nullptr;            // CUresult*, where the call ends
  const char* symbol = nullptr;      // of a launch: the kernel's name
  gpu::ContextHandle context = nullptr;
  u32 context_id = 0;
  u64* kept = nullptr;  // one word that the end of the call finds as its beginning left it
  u32 correlation = 0;
};
using Callback = void (*)(void* user, int domain, u32 id, const void* data);
using GiveBuffer = void (*)(u8** buffer, std::size_t* bytes, std::size_t* most_records);
using TakeBuffer = void (*)(gpu::ContextHandle context, u32 stream, u8* buffer, std::size_t bytes, std::size_t valid);

// The functions of callbacks, each by the name that CUPTI exports it under. X(member, symbol, parameters)
#define ROPEWALK_CUPTI_CALLBACK_FUNCTIONS(X)                                               \
  X(version, "cuptiGetVersion", (u32 * version))                                           \
  X(result_text, "cuptiGetResultString", (Result result, const char** text))               \
  X(subscribe, "cuptiSubscribe", (Subscriber * subscriber, Callback callback, void* user)) \
  X(enable_callback, "cuptiEnableCallback", (u32 enable, Subscriber subscriber, int domain, u32 id))

// Those of activity records.
#define ROPEWALK_CUPTI_ACTIVITY_FUNCTIONS(X)                                                \
  X(version, "cuptiGetVersion", (u32 * version))                                            \
  X(result_text, "cuptiGetResultString", (Result result, const char** text))                \
  X(register_buffers, "cuptiActivityRegisterCallbacks", (GiveBuffer give, TakeBuffer take)) \
  X(enable, "cuptiActivityEnable", (int kind))                                              \
  X(flush, "cuptiActivityFlushAll", (u32 flags))                                            \
  X(next_record, "cuptiActivityGetNextRecord", (u8 * buffer, std::size_t valid, void** record))

#define ROPEWALK_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
#define ROPEWALK_VISIT(member, symbol, parameters) visit(member, symbol);
struct CallbackFunctions {
  ROPEWALK_CUPTI_CALLBACK_FUNCTIONS(ROPEWALK_DECLARE)
  // Each function with the name that CUPTI exports it under.
  template <class Visit>
  void for_each(Visit visit) {
    ROPEWALK_CUPTI_CALLBACK_FUNCTIONS(ROPEWALK_VISIT)
  }
};
struct ActivityFunctions {
  ROPEWALK_CUPTI_ACTIVITY_FUNCTIONS(ROPEWALK_DECLARE)
  template <class Visit>
  void for_each(Visit visit) {
    ROPEWALK_CUPTI_ACTIVITY_FUNCTIONS(ROPEWALK_VISIT)
  }
};
#undef ROPEWALK_VISIT
#undef ROPEWALK_DECLARE

}  // namespace ropewalk::gpu::cupti
