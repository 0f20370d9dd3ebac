#include "lib/launch/launch.h"

namespace ropewalk {

std::string_view name_of(LaunchLocation::Stream stream) {
  switch (stream) {
    case LaunchLocation::Stream::Own:
      return "own";
    case LaunchLocation::Stream::Default:
      return "default";
    case LaunchLocation::Stream::PerThread:
      return "per-thread";
  }
  return "";
}

i64 Launch::tensor_named(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return i64(i);
  }
  return -1;
}

}  // namespace ropewalk
