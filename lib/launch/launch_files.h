// How the reader of a launch file gets at the files that it names.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "lib/ptx/module.h"
#include "lib/tensor/read_array.h"

namespace ropewalk {

// Both get a path that is already relative to the launch file, and throw InputError where the file is of no use.
struct LaunchFiles {
  std::function<std::shared_ptr<const ptx::Module>(const std::string& path)> module;
  std::function<std::shared_ptr<const Array>(const ArrayRequest& request)> array;

  static LaunchFiles on_disk();
};

}  // namespace ropewalk
