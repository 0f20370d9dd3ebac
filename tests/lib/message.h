// The message of the InputError that something throws, for tests that compare it word by word.
#pragma once
#include <string>

#include "lib/base/error.h"

namespace ropewalk {

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no InputError was thrown)";
}

}  // namespace ropewalk
