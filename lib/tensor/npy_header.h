// The header of an .npy file: a Python dict literal such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once
#include <string>
#include <string_view>

#include "lib/tensor/array.h"

namespace ropewalk {

// complex128 is read as f64 with an axis of two more, the real part and the imaginary one.
struct NpyHeader {
  Dtype dtype = Dtype::F32;
  bool big_endian = false;
  bool column_major = false;
  Shape shape;
};

// Throws InputError with the field at fault.
NpyHeader parse_npy_header(std::string_view text, const std::string& path);

}  // namespace ropewalk
