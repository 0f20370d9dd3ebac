#include "lib/machine/access_log.h"

namespace ropewalk::machine {

void AccessLog::grow() {
  storage_.resize(room_ ? room_ * 2 : 256);
  at_ = storage_.data();
  room_ = storage_.size();
}

}  // namespace ropewalk::machine
