// torch's .pt and .pth files (torch.save since PyTorch 1.6): a zip archive with one pickle and one member for each
// storage.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/tensor/array.h"

namespace ropewalk {

// A tensor of the file. Its elements lie in the file, row-major and without gaps, or, where the file has them
// otherwise, in `copy`.
struct TorchTensor {
  std::string name;  // keys on the way to it, joined with "."; "tensor" where the file is just one
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::span<const std::byte> data;
  std::shared_ptr<const std::vector<std::byte>> copy;
};

// The tensors in dicts, lists and tuples, of the dtypes that we can hold; complex128 becomes f64 with a last axis of 2.
// Nothing in the file is executed: a pickle that names anything but what rebuilds tensors is refused. The bytes must
// outlive the result. Throws InputError with the field at fault.
std::vector<TorchTensor> read_torch(std::span<const std::byte> bytes, const std::string& path);

}  // namespace ropewalk
