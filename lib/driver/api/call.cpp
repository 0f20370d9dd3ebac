#include "lib/driver/api/api.h"

namespace ropewalk::driver {

Call::Call() : context_(held_->contexts().current()) {}

Result Call::error() const {
  if (held_->is_of_parent()) return Result::NotInitialized;
  return context_ ? context_->error : Result::InvalidContext;
}

}  // namespace ropewalk::driver
