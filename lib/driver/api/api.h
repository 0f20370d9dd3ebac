// What the functions of the driver API have in common. Names, numbers and meanings are those of the CUDA Driver API
// reference; types are declared here so that nothing of the toolkit is needed to build.
#pragma once
#include <algorithm>
#include <cstddef>

#include "lib/driver/backlog.h"
#include "lib/driver/calls.h"
#include "lib/driver/graph.h"
#include "lib/driver/needed.h"
#include "lib/driver/session.h"

// A function of the API. It answers a CUresult.
#define RW_CUDA extern "C" __attribute__((visibility("default"))) int

namespace ropewalk::driver {

using DevicePointer = u64;

constexpr int driver_version = 13050;  // newer than every toolkit whose PTX is known
constexpr int answer(Result result) { return int(result); }
constexpr int success = int(Result::Success), invalid_value = int(Result::InvalidValue);

// A call inside of the current context, with the session's mutex held. `error` is what the call answers where it cannot
// go on: there is no context, or it is broken, or another thread destroyed it.
class Call {
 public:
  Call();
  Session* operator->() const { return &*held_; }
  Session& operator*() const { return *held_; }
  Context* context() const { return context_; }
  u32 device() const { return context_ ? context_->device : 0; }
  Result error() const;
  // The same for what needs no context.
  Result error_of_any_context() const;

 private:
  InterpreterCall interpreter_;  // before the mutex is taken
  Held held_;
  Context* context_;
};

// As long as it lives, the thread is in a function that work of a stream calls.
class InHostFunction {
 public:
  InHostFunction();
  ~InHostFunction();
  InHostFunction(const InHostFunction&) = delete;
};

// Leaves the function where the call cannot go on.
#define RW_CALL(call) \
  const Call call;    \
  if (call.error() != Result::Success) return answer(call.error())
#define RW_CALL_OF_ANY_CONTEXT(call) \
  const Call call;                   \
  if (call.error_of_any_context() != Result::Success) return answer(call.error_of_any_context())

// Whether each of so many operations has one of some kinds: `first` names the first operation of each, from 0 up.
inline bool are_firsts(const std::size_t* first, std::size_t kinds, std::size_t count) {
  if (!first || !kinds || kinds > count || first[0] != 0) return false;
  for (std::size_t n = 1; n < kinds; ++n) {
    if (first[n] <= first[n - 1] || first[n] >= count) return false;
  }
  return true;
}

// Leaves the function where one of the pointers that it needs is null.
#define RW_NEEDS(...) \
  if (!has_all(__VA_ARGS__)) return invalid_value

// Work that calls a function of the program's, which must not call CUDA: calls inside of it are not permitted.
template <class Function>
Work host_work(Function function) {
  return [function] {
    const InHostFunction inside;
    function();
    return Result::Success;
  };
}

}  // namespace ropewalk::driver
