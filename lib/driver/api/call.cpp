#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

thread_local int host_functions = 0;

}  // namespace

InHostFunction::InHostFunction() { ++host_functions; }
InHostFunction::~InHostFunction() { --host_functions; }

Call::Call() : context_(held_->contexts().current()) {}

Result Call::error_of_any_context() const {
  if (host_functions) return Result::NotPermitted;
  if (held_->is_of_parent() || !held_->is_initialized()) return Result::NotInitialized;
  return context_ ? context_->error : Result::Success;
}

Result Call::error() const {
  const Result result = error_of_any_context();
  if (context_ || result != Result::Success) return result;
  return held_->contexts().top() ? Result::ContextIsDestroyed : Result::InvalidContext;
}

}  // namespace ropewalk::driver
