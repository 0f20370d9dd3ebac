#include "lib/tensor/npy.h"

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/tensor/npy_header.h"

namespace ropewalk {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

[[noreturn]] void fail(const std::string& path, const std::string& field, const std::string& what) {
  throw InputError(InputLocation{path, 0, 0, field}, what);
}

// Turns the bytes of numbers of `size` bytes around.
void swap_byte_order(std::vector<std::byte>& bytes, size_t size) {
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    std::reverse(bytes.begin() + i64(at), bytes.begin() + i64(at + size));
  }
}

// The same elements in row-major order.
std::vector<std::byte> rows_first(const std::vector<std::byte>& column_major, const Shape& shape, size_t size) {
  const size_t rank = shape.size();
  std::vector<i64> index(rank, 0), step(rank, 1);
  for (size_t d = 1; d < rank; ++d) step[d] = step[d - 1] * shape[d - 1];
  std::vector<std::byte> result(column_major.size());
  size_t from = 0;
  for (size_t to = 0; to < result.size(); to += size) {
    std::memcpy(&result[to], &column_major[from * size], size);
    // The next index in row-major order, carrying from the last dimension to the first.
    for (size_t d = rank; d-- > 0;) {
      from += size_t(step[d]);
      if (++index[d] < shape[d]) break;
      from -= size_t(step[d] * shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

std::string_view descr_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
      return "|b1";
    case Dtype::I8:
      return "|i1";
    case Dtype::I16:
      return "<i2";
    case Dtype::I32:
      return "<i4";
    case Dtype::I64:
      return "<i8";
    case Dtype::U8:
      return "|u1";
    case Dtype::U16:
      return "<u2";
    case Dtype::U32:
      return "<u4";
    case Dtype::U64:
      return "<u8";
    case Dtype::F16:
      return "<f2";
    case Dtype::F64:
      return "<f8";
    case Dtype::C64:
      return "<c8";
    case Dtype::F32:
    case Dtype::TF32:
    case Dtype::BF16:
    case Dtype::F8E4M3:
    case Dtype::F8E5M2:
      return "<f4";
  }
  return "";
}

bool is_written_wide(Dtype dtype) { return descr_of(dtype) == "<f4" && size_of(dtype) < 4; }

Array widened(const Array& array) {
  Array wide = Array::zeros(Dtype::F32, array.shape);
  for (i64 n = 0; n < array.count(); ++n) wide.set(n, array.at(n));
  return wide;
}

}  // namespace

NpyView view_npy(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, magic.size()) != magic) fail(path, "", "is no .npy file: it does not begin with \\x93NUMPY");
  if (text.size() < 8) fail(path, "version", "the file ends before the format version");
  const int version = u8(text[6]);
  if (version < 1 || version > 3) {
    fail(path, "version", "format version " + std::to_string(version) + " is not read, expected 1, 2 or 3");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (text.size() < 8 + length_bytes) fail(path, "header length", "the file ends inside it");
  u64 length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= u64(u8(text[8 + i])) << (8 * i);
  const std::string_view rest = text.substr(8 + length_bytes);
  if (length > rest.size()) {
    fail(path, "header length",
         "is " + std::to_string(length) + ", but only " + std::to_string(rest.size()) + " bytes follow");
  }
  const NpyHeader header = parse_npy_header(rest.substr(0, length), path);
  const std::string_view data = rest.substr(length);

  const size_t size = size_of(header.dtype);
  const std::optional<i64> count = checked_element_count(header.shape);
  // A division, because the product of a shape that lies may not fit.
  if (!count || u64(*count) != data.size() / size || data.size() % size != 0) {
    const std::string needed = count ? std::to_string(*count) + " elements" : "more than 2^63 elements";
    fail(path, "shape",
         text_of(header.shape) + " of " + std::string(name_of(header.dtype)) + " means " + needed + " of " +
             std::to_string(size) + " bytes, but the file holds " + std::to_string(data.size()) + " bytes of data");
  }
  return {header, std::as_bytes(std::span(data))};
}

Array read_npy(std::span<const std::byte> bytes, const std::string& path) {
  const auto [header, data] = view_npy(bytes, path);
  const size_t size = size_of(header.dtype);
  Array array{header.dtype, header.shape, {data.begin(), data.end()}};
  if (header.big_endian) swap_byte_order(array.bytes, header.dtype == Dtype::C64 ? 4 : size);
  if (header.column_major && header.shape.size() > 1) array.bytes = rows_first(array.bytes, header.shape, size);
  return array;
}

Array read_npy_file(const std::string& path) { return read_npy(MappedFile(path).bytes(), path); }

std::string write_npy(const Array& array) {
  if (is_written_wide(array.dtype)) return write_npy(widened(array));
  std::string shape = "(";
  for (const i64 extent : array.shape) shape += std::to_string(extent) + ", ";
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.resize(shape.size() - 1);
  std::string header =
      "{'descr': '" + std::string(descr_of(array.dtype)) + "', 'fortran_order': False, 'shape': " + shape + "), }";
  // Spaces and a line end fill the header up, so that the data begins at a multiple of 64 bytes.
  constexpr size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';

  std::string file(magic);
  file += {'\1', '\0', char(header.size() & 0xff), char(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

void write_npy_file(const std::string& path, const Array& array) { write_file(path, write_npy(array)); }

}  // namespace ropewalk
