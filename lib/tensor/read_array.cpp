#include "lib/tensor/read_array.h"

#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/tensor/npy.h"
#include "lib/tensor/npz.h"
#include "lib/tensor/safetensors.h"

namespace ropewalk {
namespace {

Array read_raw(const MappedFile& file, const ArrayRequest& request) {
  Array array{request.dtype, request.shape, {file.bytes().begin(), file.bytes().end()}};
  const u64 size = size_of(request.dtype);
  if (array.bytes.size() % size != 0 || array.bytes.size() / size != u64(element_count(request.shape))) {
    throw InputError(InputLocation{request.path},
                     "holds " + std::to_string(array.bytes.size()) + " bytes, the tensor has " +
                         std::to_string(element_count(request.shape)) + " elements of " + std::to_string(size));
  }
  return array;
}

// The array that is asked for, or the only one.
std::string choose(const ArrayRequest& request, const std::vector<std::string>& names) {
  if (!request.name.empty()) return request.name;
  if (names.size() == 1) return names.front();
  throw InputError(InputLocation{request.path},
                   "holds " + std::to_string(names.size()) + " arrays: say which one with \"name\"");
}

}  // namespace

Array read_array_file(const ArrayRequest& request) {
  const std::string extension = std::filesystem::path(request.path).extension().string();
  if (extension == ".safetensors") {
    const Safetensors file = Safetensors::open(request.path);
    std::vector<std::string> names;
    for (const Safetensors::Entry& entry : file.entries()) names.push_back(entry.name);
    return file.load(choose(request, names));
  }
  const MappedFile file(request.path);
  if (extension == ".bin" || extension == ".raw") return read_raw(file, request);
  if (file.text().substr(0, 4) == "PK\3\4" || extension == ".npz") {
    const Npz archive(file.bytes(), request.path);
    return archive.load(choose(request, archive.names()));
  }
  return read_npy(file.bytes(), request.path);
}

}  // namespace ropewalk
