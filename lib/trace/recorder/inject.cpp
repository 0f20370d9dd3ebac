// The library that the CUDA driver loads into a traced program (CUDA_INJECTION64_PATH): its entry, and CUPTI's
// callback.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "lib/gpu/cupti_library.h"
#include "lib/trace/environment.h"
#include "lib/trace/recorder/recorder.h"

namespace ropewalk::trace {

namespace {

namespace cupti = gpu::cupti;

std::atomic<Recorder*> recorder{nullptr};
thread_local bool is_ours = false;  // calls that the recorder itself makes

#define ROPEWALK_NUMBER(NAME, NUMBER, PARAMETERS, ...) NUMBER,
constexpr u32 numbers[] = {ROPEWALK_TRACED_CALLS(ROPEWALK_NUMBER)};
#undef ROPEWALK_NUMBER

void on_call(Recorder& to, u32 id, const cupti::CallbackData& data) {
  const bool ends = data.site == cupti::leave_site;
  const gpu::Result result = ends && data.result ? *static_cast<const gpu::Result*>(data.result) : gpu::success;
  switch (id) {
#define ROPEWALK_CASE(NAME, NUMBER, PARAMETERS, ...)                                               \
  case NUMBER: {                                                                                   \
    static constexpr CallKind kind __VA_ARGS__;                                                    \
    to.on(*static_cast<const PARAMETERS*>(data.parameters),                                        \
          Call{#NAME, kind, ends, result, data.context_id, data.context, data.symbol, data.kept}); \
    break;                                                                                         \
  }
    ROPEWALK_TRACED_CALLS(ROPEWALK_CASE)
#undef ROPEWALK_CASE
    default:
      break;
  }
}

void callback(void*, int domain, u32 id, const void* data) {
  Recorder* const to = recorder.load(std::memory_order_relaxed);
  if (!to || is_ours || domain != cupti::driver_domain) return;
  is_ours = true;
  try {
    on_call(*to, id, *static_cast<const cupti::CallbackData*>(data));
  } catch (const std::exception&) {
    // Nothing of ours may end somebody's program; what cannot be kept is not kept.
  }
  is_ours = false;
}

// Opens CUPTI and asks it for the calls. Returns why that is impossible, or nothing.
std::string subscribe(cupti::CallbackFunctions& api, std::string& version) {
  if (const std::string problem = cupti::open(api); !problem.empty()) return problem;
  u32 number = 0;
  if (api.version(&number) == cupti::success) version = std::to_string(number);
  cupti::Subscriber subscriber = nullptr;
  if (const cupti::Result result = api.subscribe(&subscriber, callback, nullptr))
    return cupti::refusal(api, "cuptiSubscribe", result);
  u32 enabled = 0;
  cupti::Result last = cupti::success;
  for (const u32 id : numbers) {
    // An old CUPTI does not know the calls of later drivers; programs cannot make them there either.
    const cupti::Result result = api.enable_callback(1, subscriber, cupti::driver_domain, id);
    if (result == cupti::success)
      ++enabled;
    else
      last = result;
  }
  return enabled ? "" : cupti::refusal(api, "cuptiEnableCallback", last);
}

u64 number_in(const char* variable, u64 otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void finish() {
  is_ours = true;
  try {
    if (Recorder* const to = recorder.exchange(nullptr)) to->finished();
  } catch (const std::exception&) {
  }
}

void start() {
  RecorderOptions options;
  const char* folder = std::getenv(folder_variable);
  if (!folder || recorder.load()) return;
  options.folder = folder;
  options.keep = number_in(keep_variable, options.keep);
  options.serialize = number_in(serialize_variable, 0) != 0;
  options.save_bytes = number_in(save_variable, 0);
  options.at = number_in(at_variable, 0);
  options.is_blocking = number_in("CUDA_LAUNCH_BLOCKING", 0) != 0;
  // Never deleted: threads may be inside until the very end of the process. Always kept, also after finish(): else a
  // leak checker in the traced program finds it and changes how that program ends.
  static Recorder* const made = new Recorder(options);
  recorder = made;
  cupti::CallbackFunctions api;
  std::string version;
  const std::string problem = subscribe(api, version);
  made->started(problem, version);
  std::atexit(finish);
  // A child by fork cannot use CUDA any more; what it calls is not this process's.
  pthread_atfork(nullptr, nullptr, [] { recorder = nullptr; });
}

}  // namespace

}  // namespace ropewalk::trace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace ropewalk::trace;
  const bool was_ours = is_ours;
  is_ours = true;
  try {
    start();
  } catch (const std::exception&) {
    recorder = nullptr;
  }
  is_ours = was_ours;
  return 1;
}
