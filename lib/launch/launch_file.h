// Launch files: the JSON form of a launch, schema "ropewalk.launch/1".
#pragma once
#include <string>
#include <string_view>

#include "lib/launch/launch.h"
#include "lib/launch/launch_files.h"

namespace ropewalk {

inline constexpr std::string_view launch_schema = "ropewalk.launch/1";

// Reads a launch file and the PTX and arrays that it names (relative to it). Tensors come sorted by name; a tensor
// without "init" is uninitialized. The arguments fit the entry's parameters. Throws InputError: syntax errors with line
// and column, others with the JSON path, unknown keys with the nearest known one.
Launch read_launch_file(const std::string& path);

// The same for a text in memory; what it names is read by way of `files`.
Launch read_launch(std::string_view text, const std::string& path, const LaunchFiles& files);

}  // namespace ropewalk
