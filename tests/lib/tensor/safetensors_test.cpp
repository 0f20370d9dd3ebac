#include "lib/tensor/safetensors.h"

#include <gtest/gtest.h>

#include "tests/lib/message.h"
#include "tests/lib/tensor/npy_text.h"

namespace ropewalk {
namespace {

std::string file_of(const std::string& header, const std::string& buffer) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += char((header.size() >> (8 * i)) & 0xff);
  return file + header + buffer;
}

std::string message_of_parts(const std::string& header, const std::string& buffer) {
  const std::string file = file_of(header, buffer);
  return message_of([&] { Safetensors::parse(bytes_of(file), "a.st"); });
}

TEST(Safetensors, tensors_and_metadata_are_read) {
  const std::string file = file_of(
      "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]},"
      "\"a\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]},"
      "\"none\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[4,4]}}   ",
      std::string("\x80\x3f\x05\x06", 4));
  const Safetensors tensors = Safetensors::parse(bytes_of(file), "a.st");
  ASSERT_EQ(tensors.entries().size(), 3u);
  EXPECT_EQ(tensors.entries()[0].name, "a");
  EXPECT_EQ(tensors.metadata(), (std::vector<std::pair<std::string, std::string>>{{"format", "pt"}}));
  EXPECT_EQ(tensors.load("a").at(0), 1);
  EXPECT_EQ(tensors.load("b").at(1), 6);
  EXPECT_EQ(tensors.load("none").shape, (Shape{0, 3}));
  EXPECT_EQ(message_of([&] { tensors.load("bb"); }), "a.st: has no tensor \"bb\", known are \"a\", \"b\", \"none\"");
}

TEST(Safetensors, types_that_we_cannot_hold_are_known_but_not_loaded) {
  const std::string file = file_of(
      "{\"s\":{\"dtype\":\"F8_E8M0\",\"shape\":[1],\"data_offsets\":[0,1]},"
      "\"p\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[1,2]}}",
      "ab");
  const Safetensors tensors = Safetensors::parse(bytes_of(file), "a.st");
  EXPECT_EQ(tensors.entries()[1].dtype_text, "F4");
  EXPECT_EQ(message_of([&] { tensors.load("s"); }), "a.st: s: tensors of dtype F8_E8M0 cannot be used");
}

TEST(Safetensors, lengths_that_lie) {
  EXPECT_EQ(message_of([] { Safetensors::parse(bytes_of("1234567"), "a.st"); }),
            "a.st: header length: the file ends inside it");
  const std::string large("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
  EXPECT_EQ(message_of([&] { Safetensors::parse(bytes_of(large), "a.st"); }),
            "a.st: header length: is 18446744073709551615, the format allows at most 100000000");
  const std::string longer("\x09\x00\x00\x00\x00\x00\x00\x00{}", 10);
  EXPECT_EQ(message_of([&] { Safetensors::parse(bytes_of(longer), "a.st"); }),
            "a.st: header length: is 9, but only 2 bytes follow");
  EXPECT_EQ(message_of_parts(" {}", ""), "a.st: header: does not begin with '{'");
  EXPECT_EQ(message_of_parts("", ""), "a.st: header: does not begin with '{'");
}

TEST(Safetensors, headers_that_are_no_headers) {
  EXPECT_EQ(message_of_parts("{\"a\":", "").substr(0, 36), "a.st (header):1:6: not valid JSON: s");
  EXPECT_EQ(message_of_parts("{\"a\":1,\"a\":2}", ""), "a.st (header):1:8: the key \"a\" occurs twice in one object");
  EXPECT_EQ(message_of_parts("{\"a\":1}", ""), "a.st: a: expected an object, found 1");
  EXPECT_EQ(message_of_parts("{\"a\":{\"dtype\":\"F32\"}}", ""), "a.st: a: the key \"shape\" is missing");
  EXPECT_EQ(message_of_parts("{\"a\":{\"dtype\":\"F33\",\"shape\":[],\"data_offsets\":[0,0]}}", ""),
            "a.st: a.dtype: unknown dtype \"F33\", did you mean \"F32\"?");
  EXPECT_EQ(message_of_parts("{\"a\":{\"dtype\":\"F32\",\"shpe\":[],\"data_offsets\":[0,0]}}", ""),
            "a.st: a: unknown key \"shpe\", did you mean \"shape\"?");
  EXPECT_EQ(message_of_parts("{\"__metadata__\":{\"k\":1}}", ""), "a.st: __metadata__.k: expected a text, found 1");
}

std::string one(const std::string& shape, const std::string& offsets, const std::string& buffer) {
  return message_of_parts("{\"a\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}",
                          buffer);
}

TEST(Safetensors, offsets_cover_the_buffer) {
  EXPECT_EQ(one("[1]", "[0,4]", "1234"), "(no InputError was thrown)");
  EXPECT_EQ(one("[1]", "[0,4]", "12345"), "a.st: the tensors fill 4 bytes, but the buffer has 5");
  EXPECT_EQ(one("[1]", "[1,5]", "12345"),
            "a.st: a.data_offsets: leaves a hole: begins at 1, but the tensors before it end at 0");
  EXPECT_EQ(one("[1]", "[0,8]", "1234"), "a.st: a.data_offsets[1]: expected a whole number from 0 to 4, found 8");
  EXPECT_EQ(one("[1]", "[4,0]", "1234"), "a.st: a.data_offsets: ends before it begins");
  EXPECT_EQ(one("[1]", "[0]", "1234"), "a.st: a.data_offsets: expected [begin, end], found 1 numbers");
  EXPECT_EQ(one("[2]", "[0,4]", "1234"), "a.st: a.data_offsets: holds 4 bytes, but shape [2] of F32 needs 2 x 32 bits");
  EXPECT_EQ(
      one("[4611686018427387904, 8]", "[0,4]", "1234"),
      "a.st: a.data_offsets: holds 4 bytes, but shape [4611686018427387904, 8] of F32 needs more than 2^63 x 32 bits");
  EXPECT_EQ(one("[-1]", "[0,4]", "1234").substr(0, 41), "a.st: a.shape[0]: expected a whole number");
  EXPECT_EQ(message_of_parts("{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                             "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
                             "1234"),
            "a.st: b.data_offsets: overlaps another tensor: begins at 2, but the tensors before it end at 3");
}

}  // namespace
}  // namespace ropewalk
