#include "lib/launch/read_launch_location.h"

namespace ropewalk {
namespace {

constexpr u64 largest_device = 1023;

LaunchLocation::Stream read_stream(const JsonCursor& cursor) {
  using enum LaunchLocation::Stream;
  constexpr LaunchLocation::Stream streams[] = {Own, Default, PerThread};
  std::vector<std::string> names;
  for (const auto stream : streams) names.emplace_back(name_of(stream));
  return streams[cursor.choice(names, "stream")];
}

}  // namespace

LaunchLocation read_launch_location(const JsonCursor& root) {
  LaunchLocation location;
  if (root.has("device")) location.device = u32(root.at("device").natural(0, largest_device));
  if (root.has("current_device")) {
    if (!location.device)
      root.at("current_device").fail("says whose context is current, but the key \"device\" is missing");
    location.current_device = u32(root.at("current_device").natural(0, largest_device));
  }
  if (!root.has("stream")) return location;
  const JsonCursor stream = root.at("stream");
  if (stream.is_object()) {
    stream.expect_keys({"device"});
    location.stream_device = u32(stream.at("device").natural(0, largest_device));
  } else {
    location.stream = read_stream(stream);
  }
  return location;
}

}  // namespace ropewalk
