#include "lib/launch/read_place.h"

#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

constexpr u64 largest_device = 1023;

LaunchPlace::Stream read_stream(const JsonCursor& cursor) {
  const std::string name = cursor.text();
  std::vector<std::string> names;
  for (const auto stream : {LaunchPlace::Stream::Own, LaunchPlace::Stream::Default, LaunchPlace::Stream::PerThread}) {
    if (name_of(stream) == name) return stream;
    names.emplace_back(name_of(stream));
  }
  cursor.fail("unknown stream \"" + name + "\", " + did_you_mean(name, names));
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
