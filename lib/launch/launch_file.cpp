#include "lib/launch/launch_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "lib/base/demangle.h"
#include "lib/base/file_error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/launch/check_arguments.h"
#include "lib/launch/find_entry.h"
#include "lib/launch/read_argument.h"
#include "lib/launch/read_expectation.h"
#include "lib/launch/read_launch_location.h"
#include "lib/launch/read_tensor.h"
#include "lib/ptx/header.h"
#include "lib/ptx/read.h"

namespace ropewalk {
namespace {

// A path in the launch file, seen from where the program runs.
std::string beside(const std::string& launch_path, const std::string& named) {
  const std::filesystem::path path(named);
  if (path.is_absolute()) return named;
  return (std::filesystem::path(launch_path).parent_path() / path).lexically_normal().string();
}

LaunchFiles relative_to(const std::string& launch_path, const LaunchFiles& files) {
  return {[=](const std::string& path) { return files.module(beside(launch_path, path)); },
          [=](ArrayRequest request) {
            request.path = beside(launch_path, request.path);
            return files.array(request);
          }};
}

std::shared_ptr<const ptx::Module> read_module(const JsonCursor& cursor, const LaunchFiles& files) {
  const std::string path = cursor.text();
  if (path.empty()) cursor.fail("expected the path of a PTX file, found an empty text");
  try {
    return files.module(path);
  } catch (const FileError& error) {
    cursor.fail(error.what());
  }
}

std::string read_entry(const JsonCursor& cursor, const ptx::Module& module) {
  const FoundEntry found = find_entry(module, cursor.text());
  if (!found.entry) cursor.fail(found.why_none);
  return found.entry->name;
}

// One to three extents; the ones not given are 1.
Dim3 read_dim3(const JsonCursor& cursor) {
  const std::vector<JsonCursor> extents = cursor.elements();
  if (extents.empty() || extents.size() > 3) {
    cursor.fail("expected one to three numbers, found " + std::to_string(extents.size()));
  }
  Dim3 result;
  u32* const fields[] = {&result.x, &result.y, &result.z};
  for (size_t d = 0; d < extents.size(); ++d) extents[d].read(*fields[d]);
  return result;
}

std::string read_target(const JsonCursor& cursor) {
  const std::string target = cursor.text();
  if (ptx::standing_of_target(target) == ptx::Standing::None)
    cursor.fail("expected an architecture such as \"sm_80\", found " + cursor.description());
  return target;
}

BlockSample read_blocks(const JsonCursor& cursor) {
  cursor.expect_keys({"sample", "seed"});
  BlockSample blocks;
  cursor.read("sample", blocks.count, 1, u64(1) << 24);
  cursor.read_if("seed", blocks.seed);
  return blocks;
}

}  // namespace

LaunchFiles LaunchFiles::on_disk() {
  return {[](const std::string& path) { return std::make_shared<const ptx::Module>(ptx::read_file(path)); },
          [](const ArrayRequest& request) { return std::make_shared<const Array>(read_array_file(request)); }};
}

Launch read_launch(std::string_view text, const std::string& path, const LaunchFiles& given_files) {
  const JsonCursor root(parse_json(text, path), path);
  const LaunchFiles files = relative_to(path, given_files);
  root.expect_keys({"schema", "ptx", "entry", "grid", "block", "dynamic_shared_bytes", "cooperative", "tensors",
                    "variables", "args", "expect", "blocks", "target", "device", "current_device", "stream"});
  root.expect_schema(launch_schema);
  Launch launch;
  launch.source_path = path;
  launch.grid = read_dim3(root.at("grid"));
  launch.block = read_dim3(root.at("block"));
  root.read_if("dynamic_shared_bytes", launch.dynamic_shared_bytes, 0, UINT32_MAX);
  if (root.has("cooperative")) launch.is_cooperative = root.at("cooperative").boolean();
  if (root.has("target")) launch.target = read_target(root.at("target"));
  if (root.has("blocks")) launch.blocks = read_blocks(root.at("blocks"));
  launch.location = read_launch_location(root);
  if (root.has("tensors")) {
    for (const auto& [name, cursor] : root.at("tensors").members()) {
      if (name.empty()) root.at("tensors").fail("a tensor needs a name that is not empty");
      launch.tensors.push_back(read_tensor(cursor, name, files));
    }
    for (LaunchTensor& tensor : launch.tensors) {
      tensor.pointers = read_pointers(root.at("tensors").at(tensor.name), tensor.bytes(), launch);
    }
  }
  if (root.has("variables")) {
    for (const auto& [name, cursor] : root.at("variables").members())
      launch.variables.push_back(read_variable(cursor, name, files, launch));
  }
  if (root.has("args")) {
    for (const JsonCursor& cursor : root.at("args").elements())
      launch.arguments.push_back(read_argument(cursor, launch));
  }
  if (root.has("expect")) {
    for (const auto& [name, cursor] : root.at("expect").members()) {
      launch.expectations.push_back(read_expectation(cursor, name, launch, files));
    }
  }
  launch.module = read_module(root.at("ptx"), files);
  if (!launch.target.empty() && ptx::capability_of(launch.module->target) > ptx::capability_of(launch.target)) {
    root.at("target").fail(fmt::format("{} does not run the PTX of this launch, which is for {} and newer",
                                       launch.target, launch.module->target));
  }
  launch.entry = read_entry(root.at("entry"), *launch.module);
  launch.kernel_name = without_parameters(demangled(launch.entry));
  check_arguments(launch);
  return launch;
}

Launch read_launch_file(const std::string& path) {
  return read_launch(MappedFile(path).text(), path, LaunchFiles::on_disk());
}

}  // namespace ropewalk
