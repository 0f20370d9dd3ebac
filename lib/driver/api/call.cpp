#include "lib/driver/api/api.h"

namespace ropewalk::driver {

Call::Call() : context_(held_->contexts().current()) {}

Result Call::error() const { return context_ ? context_->error : Result::InvalidContext; }

}  // namespace ropewalk::driver
