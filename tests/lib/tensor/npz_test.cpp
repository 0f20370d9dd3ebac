#include "lib/tensor/npz.h"

#include <gtest/gtest.h>

#include "lib/base/mapped_file.h"
#include "lib/tensor/npy.h"
#include "tests/lib/message.h"
#include "tests/lib/tensor/npy_text.h"
#include "tests/lib/tensor/zip_text.h"

namespace ropewalk {
namespace {

std::string npy(i64 count) {
  Array array = Array::zeros(Dtype::F32, {count});
  for (i64 n = 0; n < count; ++n) array.set(n, double(n));
  return write_npy(array);
}

std::string message_of_npz(const std::string& file, const std::string& name = "a") {
  return message_of([&] { Npz(bytes_of(file), "a.npz").load(name); });
}

TEST(Npz, stored_and_deflated_members) {
  const std::string file = zip_file({{"a.npy", npy(3), false}, {"b.npy", npy(100000), true}});
  const Npz archive(bytes_of(file), "a.npz");
  EXPECT_EQ(archive.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(archive.load("a").at(2), 2);
  EXPECT_EQ(archive.load("b").at(99999), 99999);
  EXPECT_EQ(message_of_npz(file, "c"), "a.npz: has no array \"c\", known are \"a\", \"b\"");
}

// Written by numpy itself: savez_compressed(a=arange(3, dtype=float32), b=array([[1, 2]], dtype=int64)).
TEST(Npz, a_file_that_numpy_wrote) {
  const MappedFile file("tests/data/arrays.npz");
  const Npz archive(file.bytes(), "arrays.npz");
  EXPECT_EQ(archive.load("a").at(2), 2);
  EXPECT_EQ(archive.load("b").shape, (Shape{1, 2}));
  EXPECT_EQ(archive.load("b").at(1), 2);
}

TEST(Npz, damage_is_reported) {
  const std::string good = zip_file({{"a.npy", npy(3), false}});
  const std::string packed = zip_file({{"a.npy", npy(3), true}});
  EXPECT_EQ(message_of_npz("PK"), "a.npz: is no zip archive: it is too short");
  EXPECT_EQ(message_of_npz(std::string(100, 'x')), "a.npz: is no zip archive: it has no end of central directory");
  std::string changed = good;
  changed[good.find("NUMPY") + 130] ^= 1;
  EXPECT_EQ(message_of_npz(changed), "a.npz: a.npy: its checksum is wrong: the data are damaged");
  changed = packed;
  changed[50] ^= 0x55;
  EXPECT_NE(message_of_npz(changed).find("a.npz: a.npy: its "), std::string::npos);
  changed = good;
  changed[good.find("PK\1\2") + 8] = 1;
  EXPECT_EQ(message_of_npz(changed), "a.npz: a.npy: is encrypted");
  changed = good;
  changed[good.find("PK\1\2") + 10] = 12;
  EXPECT_EQ(message_of_npz(changed), "a.npz: a.npy: is packed by method 12, expected stored (0) or deflated (8)");
  changed = good;
  changed[good.find("PK\1\2") + 23] = '\x7f';
  EXPECT_EQ(message_of_npz(changed), "a.npz: a.npy: runs past the end of the file");
  changed = packed;
  changed[packed.find("PK\1\2") + 27] = '\x7f';
  EXPECT_NE(message_of_npz(changed).find("a.npy: claims an impossible length of "), std::string::npos);
  changed = good;
  changed[good.find("PK\1\2")] = 'x';
  EXPECT_EQ(message_of_npz(changed), "a.npz: zip archive: has a broken central directory");
}

// Deflated data that go on after the promised length, or end before it.
TEST(Npz, lengths_are_compared) {
  const std::string file = zip_file({{"a.npy", npy(300), true}});
  for (const char change : {1, -1}) {
    std::string changed = file;
    changed[file.find("PK\1\2") + 24] += change;
    EXPECT_EQ(message_of_npz(changed), "a.npz: a.npy: its deflated data are damaged");
  }
}

TEST(Npz, a_member_that_is_no_npy) {
  EXPECT_EQ(message_of_npz(zip_file({{"a.npy", "hello", false}})),
            "a.npz(a): is no .npy file: it does not begin with \\x93NUMPY");
}

}  // namespace
}  // namespace ropewalk
