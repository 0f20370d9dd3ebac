#include "tools/run/save_outputs.h"

#include <cstring>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/tensor/npy.h"

namespace ropewalk::tools {
namespace {

Array without_gaps(const LaunchTensor& tensor, const TensorAfter& after) {
  Array array = Array::zeros(tensor.dtype, tensor.shape);
  const size_t width = size_of(tensor.dtype);
  if (tensor.strides == contiguous_strides(tensor.shape)) {
    std::memcpy(array.bytes.data(), after.bytes, array.bytes.size());
    return array;
  }
  for (i64 n = 0; n < array.count(); ++n) {
    const i64 offset = offset_of(tensor.strides, index_of(tensor.shape, n));
    std::memcpy(array.bytes.data() + size_t(n) * width, after.bytes + size_t(offset) * width, width);
  }
  return array;
}

}  // namespace

void save_outputs(const std::string& folder, const Launch& launch, const Outcome& outcome) {
  for (size_t n = 0; n < launch.tensors.size() && n < outcome.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    if (!tensor.output) continue;
    // A tensor's name may be any text; as a file's name it must stay in the folder.
    if (tensor.name.find('/') != std::string::npos) {
      throw InputError(InputLocation{folder}, "the tensor name \"" + tensor.name + "\" cannot be a file's name");
    }
    write_npy_file((std::filesystem::path(folder) / (tensor.name + ".npy")).string(),
                   without_gaps(tensor, outcome.tensors[n]));
  }
}

}  // namespace ropewalk::tools
