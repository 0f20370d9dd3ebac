#include "lib/launch/read_place.h"

namespace ropewalk {
namespace {

constexpr u64 largest_device = 1023;

LaunchPlace::Stream read_stream(const JsonCursor& cursor) {
  using enum LaunchPlace::Stream;
  constexpr LaunchPlace::Stream streams[] = {Own, Default, PerThread};
  std::vector<std::string> names;
  for (const auto stream : streams) names.emplace_back(name_of(stream));
  return streams[cursor.choice(names, "stream")];
}

}  // namespace

LaunchPlace read_place(const JsonCursor& root) {
  LaunchPlace place;
  if (root.has("device")) place.device = u32(root.at("device").natural(0, largest_device));
  if (root.has("current_device")) {
    if (!place.device)
      root.at("current_device").fail("says whose context is current, but the key \"device\" is missing");
    place.current_device = u32(root.at("current_device").natural(0, largest_device));
  }
  if (!root.has("stream")) return place;
  const JsonCursor stream = root.at("stream");
  if (stream.is_object()) {
    stream.expect_keys({"device"});
    place.stream_device = u32(stream.at("device").natural(0, largest_device));
  } else {
    place.stream = read_stream(stream);
  }
  return place;
}

}  // namespace ropewalk
