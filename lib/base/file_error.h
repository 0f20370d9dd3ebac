// A file that is not there, or cannot be read: whoever names it may say where.
#pragma once
#include "lib/base/error.h"

namespace ropewalk {

class FileError : public InputError {
  using InputError::InputError;
};

}  // namespace ropewalk
