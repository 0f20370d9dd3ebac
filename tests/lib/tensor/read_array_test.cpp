#include "lib/tensor/read_array.h"

#include <gtest/gtest.h>

#include "lib/base/mapped_file.h"
#include "lib/tensor/npy.h"
#include "tests/lib/message.h"
#include "tests/lib/tensor/zip_text.h"

namespace ropewalk {
namespace {

std::string in_temp(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  write_file(path, bytes);
  return path;
}

TEST(ReadArray, raw_bytes_take_dtype_and_shape_from_the_request) {
  const std::string path = in_temp("ropewalk.bin", std::string("\x80\x3f\x00\x40", 4));
  const Array array = read_array_file({path, "", Dtype::BF16, {2, 1}});
  EXPECT_EQ(array.shape, (Shape{2, 1}));
  EXPECT_EQ(array.at(1), 2);
  EXPECT_EQ(message_of([&] {
              read_array_file({path, "", Dtype::F32, {2}});
            }),
            path + ": holds 4 bytes, the tensor has 2 elements of 4");
}

TEST(ReadArray, formats_are_recognised_by_their_beginning) {
  const std::string npy = write_npy(Array::of(Dtype::F32, {1}, {5}));
  EXPECT_EQ(read_array_file({in_temp("ropewalk.dat", npy), "", Dtype::F32, {1}}).at(0), 5);
  const std::string zip = zip_file({{"a.npy", npy, false}});
  EXPECT_EQ(read_array_file({in_temp("ropewalk.zip", zip), "", Dtype::F32, {1}}).at(0), 5);
  const std::string two = in_temp("ropewalk.npz", zip_file({{"a.npy", npy, false}, {"b.npy", npy, true}}));
  EXPECT_EQ(read_array_file({two, "b", Dtype::F32, {1}}).at(0), 5);
  EXPECT_EQ(message_of([&] {
              read_array_file({two, "", Dtype::F32, {1}});
            }),
            two + ": holds 2 arrays: say which one with \"name\"");
  const std::string header = "{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
  const std::string tensors = in_temp("ropewalk.safetensors", little_endian(header.size(), 8) + header + "\7");
  EXPECT_EQ(read_array_file({tensors, "", Dtype::U8, {1}}).at(0), 7);
}

}  // namespace
}  // namespace ropewalk
