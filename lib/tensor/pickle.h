// The part of Python's pickle language (protocols 2 to 5, "pickletools.py") that tensors are saved in. Nothing is ever
// imported or called: a global is a name, and a call of one is kept as a call.
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

struct PickleValue;
// One of the values of a Pickle, which owns them all: a list may hold itself.
using PickleRef = PickleValue*;

struct PickleNone {};
struct PickleBytes {
  std::string bytes;
};
// "torch._utils._rebuild_tensor_v2"
struct PickleGlobal {
  std::string name;
};
// A tuple or a list.
struct PickleSequence {
  std::vector<PickleRef> items;
};
struct PickleDict {
  std::vector<std::pair<PickleRef, PickleRef>> items;
};
// global(arguments), not carried out.
struct PickleCall {
  std::string global;
  std::vector<PickleRef> arguments;
  PickleDict dict;  // what was set on it, of an OrderedDict
};
// What a pickle refers to outside of itself, such as a storage.
struct PicklePersistent {
  PickleRef id;
};

struct PickleValue {
  std::variant<PickleNone, bool, i64, double, std::string, PickleBytes, PickleGlobal, PickleSequence, PickleDict,
               PickleCall, PicklePersistent>
      value;
};

// The values of a pickle; `root` is the one that it is of.
struct Pickle {
  std::deque<PickleValue> values;
  PickleRef root = nullptr;
};

// Reads one pickle; allowed: the globals that may be named in it. Throws InputError with `path` and the offset for a
// global that is not allowed, an opcode that tensors need not, and damage.
Pickle read_pickle(std::span<const std::byte> bytes, const std::vector<std::string>& allowed, const std::string& path);

}  // namespace ropewalk
