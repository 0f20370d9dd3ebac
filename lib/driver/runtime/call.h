// How each function of the runtime begins and ends.
#pragma once
#include <pthread.h>

#include "lib/driver/needed.h"
#include "lib/driver/public_call.h"
#include "lib/driver/runtime/driver_calls.h"
#include "lib/driver/runtime/types.h"

extern "C" const char* cudaGetErrorName(int error);

namespace ropewalk::driver::runtime {

// Gives the thread its device's context, where it has none. The driver's answer.
int enter();
// The error becomes the thread's last one, unless there is none or it only says "not yet".
int remember(int error);

// A function of the runtime: `body` is its work, once the thread has a context.
template <class Body>
int run(const char* name, const Body& body) {
  const PublicCall call(name);
  const int error = enter();
  return remember(error ? error : body());
}

// The same of one that waits, where a thread that was cancelled ends.
template <class Body>
int run_and_wait(const char* name, const Body& body) {
  const int error = run(name, body);
  pthread_testcancel();
  return error;
}

using driver::has_all;
using driver::has_list;

// The same of one that cannot do without some pointers. has_what_it_needs: see has_all.
template <class Body>
int run(const char* name, bool has_what_it_needs, const Body& body) {
  return run(name, [&] { return has_what_it_needs ? body() : int(invalid_value); });
}

// A function that is not there: reported once, with its caller.
int not_there(const char* name);

template <class... Parameters, class... Arguments>
int by_driver(const char* name, int (*function)(Parameters...), Arguments... arguments) {
  return function ? function(Parameters(arguments)...) : not_there(name);
}

// A function whose null stream is the calling thread's own.
template <auto function>
struct PerThread;
template <class... Parameters, int (*function)(Parameters...)>
struct PerThread<function> {
  static int call(Parameters... parameters) {
    const PerThreadStream meant;
    return function(parameters...);
  }
};

inline u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }

}  // namespace ropewalk::driver::runtime

// Calls a function of the driver.
#define ROPEWALK_DRIVER(function, ...) \
  ::ropewalk::driver::runtime::by_driver(#function, function __VA_OPT__(, ) __VA_ARGS__)
// Begins the definition of a function of the runtime.
#define ROPEWALK_RUNTIME(name, ...) extern "C" ROPEWALK_SHOWN int name(__VA_ARGS__)
// The same function for programs whose default stream is each thread's own. The loader asks the resolver for it, before
// anything of the library runs.
#define ROPEWALK_PER_THREAD(name, suffix)                                                                             \
  extern "C" {                                                                                                        \
  __attribute__((no_sanitize("address", "undefined", "thread"))) static __typeof__(name)* name##suffix##_resolved() { \
    return &::ropewalk::driver::runtime::PerThread<&name>::call;                                                      \
  }                                                                                                                   \
  }                                                                                                                   \
  extern "C" ROPEWALK_SHOWN __typeof__(name) name##suffix __attribute__((ifunc(#name #suffix "_resolved")))
