#include "lib/tensor/npy.h"

#include <gtest/gtest.h>

#include "lib/base/random.h"
#include "tests/lib/message.h"
#include "tests/lib/tensor/npy_text.h"

namespace ropewalk {
namespace {

Array read(const std::string& file) { return read_npy(bytes_of(file), "a.npy"); }
std::string message(const std::string& file) {
  return message_of([&] { read(file); });
}
std::string header_message(const std::string& header) { return message(npy_file(header, "")); }

TEST(Npy, what_is_written_is_read) {
  Random random(4);
  for (const Dtype dtype : all_dtypes()) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 0, 3}, Shape{1, 2, 3, 4}}) {
      Array array = Array::zeros(dtype, shape);
      for (i64 n = 0; n < array.count(); ++n) array.set(n, double(random.between(0, 100)) / 4);
      const Array got = read(write_npy(array));
      ASSERT_EQ(got.shape, shape);
      for (i64 n = 0; n < array.count(); ++n) ASSERT_EQ(got.at(n), array.at(n)) << name_of(dtype);
      const bool wide =
          dtype == Dtype::BF16 || dtype == Dtype::F8E4M3 || dtype == Dtype::F8E5M2 || dtype == Dtype::TF32;
      ASSERT_EQ(got.dtype, wide ? Dtype::F32 : dtype);
      ASSERT_TRUE(wide || got.bytes == array.bytes);
    }
  }
}

TEST(Npy, data_begin_at_a_multiple_of_64) {
  for (const Shape& shape : {Shape{}, Shape{1000000}, Shape(60, 1)}) {
    const Array array = Array{Dtype::U8, shape, std::vector<std::byte>(size_t(element_count(shape)))};
    EXPECT_EQ((write_npy(array).size() - array.bytes.size()) % 64, 0u);
  }
}

TEST(Npy, byte_orders) {
  const std::string header = "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }";
  const Array array = read(npy_file(header, std::string("\x01\x02\x00\x03", 4)));
  EXPECT_EQ(array.dtype, Dtype::I16);
  EXPECT_EQ(array.at(0), 0x102);
  EXPECT_EQ(array.at(1), 3);
  const std::string complex = "{'descr': '>c8', 'fortran_order': False, 'shape': (), }";
  const Array number = read(npy_file(complex, std::string("\x3f\x80\x00\x00\x40\x00\x00\x00", 8)));
  EXPECT_EQ(number.at(0), 1);
  EXPECT_EQ(load_as_double(number.bytes.data() + 4, Dtype::F32), 2);
}

TEST(Npy, complex128_has_its_parts_on_a_last_axis) {
  const std::string header = "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }";
  const Array array = read(npy_file(header, std::string("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16)));
  EXPECT_EQ(array.dtype, Dtype::F64);
  EXPECT_EQ(array.shape, (Shape{1, 2}));
  EXPECT_EQ(array.at(0), 1);
  EXPECT_EQ(array.at(1), 2);
  EXPECT_EQ(header_message("{'descr': '<c16', 'fortran_order': True, 'shape': (2, 2)}"),
            "a.npy: fortran_order: is not read of complex128, expected False");
}

TEST(Npy, column_major_becomes_row_major) {
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
  const Array array = read(npy_file(header, std::string("\x00\x01\x02\x03\x04\x05", 6)));
  std::vector<double> values;
  for (i64 n = 0; n < 6; ++n) values.push_back(array.at(n));
  EXPECT_EQ(values, (std::vector<double>{0, 2, 4, 1, 3, 5}));
}

TEST(Npy, three_versions_and_other_spellings) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read(npy_file("{\"shape\":(1L,),'fortran_order':False,'descr':'|b1'}\n", "\x01", version)).at(0), 1);
  }
  EXPECT_EQ(read(npy_file("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", "ab")).dtype, Dtype::U16);
}

TEST(Npy, no_npy_at_all) {
  EXPECT_EQ(message(""), "a.npy: is no .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(message("PK\3\4"), "a.npy: is no .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(message("\x93NUMPY"), "a.npy: version: the file ends before the format version");
  EXPECT_EQ(message(npy_file("", "", 9)), "a.npy: version: format version 9 is not read, expected 1, 2 or 3");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\x00\x10", 9)), "a.npy: header length: the file ends inside it");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\x00\x10\x00{}", 12)),
            "a.npy: header length: is 16, but only 2 bytes follow");
}

TEST(Npy, malformed_headers_name_the_field) {
  EXPECT_EQ(header_message(""), "a.npy: header: expected '{', found the end of the header");
  EXPECT_EQ(header_message("{}"), "a.npy: descr: is missing in the header");
  EXPECT_EQ(header_message("{'descr': '<f4'}"), "a.npy: fortran_order: is missing in the header");
  EXPECT_EQ(header_message("{'descr': '<f4', 'fortran_order': True}"), "a.npy: shape: is missing in the header");
  EXPECT_EQ(header_message("{'color': 1}"),
            "a.npy: header: unknown key 'color', expected 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(header_message("{'descr' '<f4'}"), "a.npy: descr: expected ':', found '''");
  EXPECT_EQ(header_message("{'descr': '<f4"), "a.npy: descr: a text has no closing quote");
  EXPECT_EQ(
      header_message("{'descr': '<f16'}"),
      "a.npy: descr: '<f16' is not read; expected '<', '>' or '|' and one of b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 "
      "c16 V1 V2");
  EXPECT_EQ(header_message("{'descr': '?f4'}").substr(0, 32), "a.npy: descr: '?f4' is not read;");
  EXPECT_EQ(header_message("{'descr': [('x', '<f4')]}"),
            "a.npy: descr: records of several fields are not read, expected '<f4' or the like");
  EXPECT_EQ(header_message("{'descr': 4}"), "a.npy: descr: expected a text in quotes, found '4'");
  EXPECT_EQ(header_message("{'fortran_order': 0}"), "a.npy: fortran_order: expected True or False, found '0'");
  EXPECT_EQ(header_message("{'shape': [3]}"), "a.npy: shape: expected '(', found '['");
  EXPECT_EQ(header_message("{'shape': (-3,)}"),
            "a.npy: shape: expected a whole number that is not negative, found '-'");
  EXPECT_EQ(header_message("{'shape': (99999999999999999999,)}"), "a.npy: shape: an extent is larger than 2^63 - 1");
  EXPECT_EQ(header_message("{'shape': (3 4)}"), "a.npy: shape: expected ')', found '4'");
  EXPECT_EQ(header_message("{'descr': '<f4', 'fortran_order': True, 'shape': ()} x"),
            "a.npy: header: expected nothing but spaces behind the dict, found 'x'");
}

TEST(Npy, sizes_that_lie) {
  const auto sized = [](const std::string& shape, const std::string& data) {
    return message(npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", data));
  };
  EXPECT_EQ(sized("(2,)", "1234"),
            "a.npy: shape: [2] of f32 means 2 elements of 4 bytes, but the file holds 4 bytes of data");
  EXPECT_EQ(sized("(1,)", "12345"),
            "a.npy: shape: [1] of f32 means 1 elements of 4 bytes, but the file holds 5 bytes of data");
  EXPECT_EQ(
      sized("(4611686018427387904, 4)", ""),
      "a.npy: shape: [4611686018427387904, 4] of f32 means more than 2^63 elements of 4 bytes, but the file holds 0 "
      "bytes of data");
  EXPECT_EQ(
      sized("(4611686018427387904,)", ""),
      "a.npy: shape: [4611686018427387904] of f32 means 4611686018427387904 elements of 4 bytes, but the file holds "
      "0 bytes of data");
}

TEST(Npy, files) {
  const std::string path = testing::TempDir() + "ropewalk_test.npy";
  write_npy_file(path, Array::of(Dtype::F16, {2}, {1, 2}));
  EXPECT_EQ(read_npy_file(path).at(1), 2);
  EXPECT_EQ(message_of([] { read_npy_file("none.npy"); }), "none.npy: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace ropewalk
