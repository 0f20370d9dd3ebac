// NumPy's .npy files (format versions 1 to 3; numpy/lib/format.py describes them).
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "lib/tensor/array.h"
#include "lib/tensor/npy_header.h"

namespace ropewalk {

// A file's header with the bytes of its elements, which stay where they are. Throws as read_npy does.
struct NpyView {
  NpyHeader header;
  std::span<const std::byte> data;

  // Whether the bytes are an Array's: little-endian and row-major.
  bool in_place() const { return !header.big_endian && (!header.column_major || header.shape.size() < 2); }
};
NpyView view_npy(std::span<const std::byte> bytes, const std::string& path);

// Reads bool, i1 to i8, u1 to u8, f2, f4, f8 and c8 of either byte order, row-major or column-major. V1 and V2, which
// is how bf16 and fp8 arrays of ml_dtypes are saved, are taken as u8 and u16: the bits. Throws InputError with the path
// and the field at fault. `path` is used in messages only.
Array read_npy(std::span<const std::byte> bytes, const std::string& path);
Array read_npy_file(const std::string& path);

// The bytes of a version 1 file. The format has no bf16, fp8 and tf32: those arrays are written as f4, which holds
// their values exactly.
std::string write_npy(const Array& array);
void write_npy_file(const std::string& path, const Array& array);

}  // namespace ropewalk
