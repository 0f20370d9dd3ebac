// Any bytes as a launch file, over one fixed PTX module and one array: they are refused with one line, or read,
// written, read again and written the same.
#include <map>

#include "lib/base/error.h"
#include "lib/launch/launch_file.h"
#include "lib/launch/write_launch.h"
#include "lib/ptx/read.h"
#include "lib/tensor/npy.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ropewalk;

std::shared_ptr<const ptx::Module> fixed_module() {
  static const auto module = std::make_shared<const ptx::Module>(ptx::read(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 out, .param .u32 count, .param .f32 factor, .param .u64 scratch) { ret; }
.visible .entry request(.param .align 8 .b8 it[32]) { ret; }
)",
                                                                           "fixed.ptx"));
  return module;
}

// Files that the text may name: the array "x.npy", and what was written beside an earlier text.
LaunchFiles files_of(const std::map<std::string, std::string>& written) {
  return {[](const std::string&) { return fixed_module(); },
          [&written](const ArrayRequest& request) {
            if (const auto found = written.find(request.path); found != written.end()) {
              return std::make_shared<const Array>(read_npy(std::as_bytes(std::span(found->second)), request.path));
            }
            if (request.path != "x.npy") throw InputError(InputLocation{request.path}, "no such file");
            return std::make_shared<const Array>(Array::of(Dtype::F32, {2, 3}, {0, 1, 2, 3, 4, 1.00390625}));
          }};
}

// Initial values are written out where a file gave them, which a launch of many elements cannot afford here.
bool is_small(const Launch& launch) {
  for (const LaunchTensor& tensor : launch.tensors) {
    if (element_count(tensor.shape) > 4096) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const ropewalk::u8* data, size_t size) {
  Launch launch;
  try {
    launch = read_launch({reinterpret_cast<const char*>(data), size}, "input.json", files_of({}));
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
    return 0;
  }
  if (!is_small(launch)) return 0;
  const WrittenLaunch written = write_launch(launch, "w");
  const std::map<std::string, std::string> beside(written.files.begin(), written.files.end());
  try {
    const Launch again = read_launch(written.text, "written.json", files_of(beside));
    const WrittenLaunch twice = write_launch(again, "w");
    require(twice.text == written.text && twice.files == written.files, "the written launch reads as another one",
            written.text);
  } catch (const InputError& error) {
    require(false, error.what(), written.text);
  }
  return 0;
}
