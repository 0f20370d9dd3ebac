// Dumped rope caches: the tensors of a file, where they lie.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/tensor/array.h"

namespace ropewalk::rope {

struct DumpTensor {
  std::string name;  // in the file; of files with one array the file's stem
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::span<const std::byte> data;  // row-major, without gaps
  bool mapped = false;              // the bytes are the file's pages
};

// What raw bytes are, which tell it not themselves.
struct RawForm {
  std::optional<Shape> shape;
  std::optional<Dtype> dtype;
};

// One file. The tensors' bytes live as long as the object, mapped where the format allows it.
struct Dump {
  std::string path;
  std::vector<DumpTensor> tensors;   // those of floating and complex dtypes
  std::vector<DumpTensor> integers;  // which may be positions
  struct Unusable {
    std::string name, what;  // "cos", "i32[32, 16]"
  };
  std::vector<Unusable> unusable;  // of other dtypes, or without elements
  std::shared_ptr<const void> owner;
  bool is_single = false;    // its tensors are parts of one
  i64 position_offset = 0;   // the position of the first row of each, where ropewalk.rope.dump was given it
  bool takes_dtype = false;  // it does not say its dtype itself
};

// Reads .safetensors, .npy, .npz, torch's .pt and .pth, and raw bytes (any other name), for which `raw` must say shape
// and dtype. Throws InputError where the file is unreadable, malformed or holds no floating tensor.
Dump open_dump(const std::string& path, const RawForm& raw);

}  // namespace ropewalk::rope
