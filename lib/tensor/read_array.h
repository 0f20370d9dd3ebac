// An array out of a file of any format that we read.
#pragma once
#include <string>

#include "lib/tensor/array.h"

namespace ropewalk {

// What a file is read for.
struct ArrayRequest {
  std::string path;
  std::string name;          // of the tensor, in formats that hold several (.safetensors, .npz)
  Dtype dtype = Dtype::F32;  // of raw bytes (.bin, .raw), which tell neither dtype
  Shape shape;               // nor shape
};

// The format follows from how the file begins (.npy, .npz) or from the end of its name (.safetensors; .bin and .raw:
// little-endian row-major elements and nothing else). Files of several arrays need `name` unless they hold just one.
// Throws InputError where the file is unreadable or malformed.
Array read_array_file(const ArrayRequest& request);

}  // namespace ropewalk
