#include "lib/driver/note_written.h"

#include <gtest/gtest.h>

#include <vector>

#include "lib/base/bits.h"

namespace ropewalk::driver {
namespace {

struct Filled {
  explicit Filled(u64 bytes) : data(bytes, std::byte(0xff)), written((bytes + 63) / 64) {}
  bool note() { return note_written(data.data(), data.size(), written.data()); }
  // The first and the last byte that are written; {1, 0}: none is.
  std::pair<u64, u64> range() const {
    u64 first = 1, last = 0;
    for (u64 n = 0; n < data.size(); ++n) {
      if (!all_bits(written.data(), n, n + 1)) continue;
      if (first > last) first = n;
      last = n;
    }
    return {first, last};
  }

  std::vector<std::byte> data;
  std::vector<u64> written;
};

using Range = std::pair<u64, u64>;

TEST(NoteWritten, NothingWhereAllIsAsItWas) {
  for (const u64 bytes : {1, 7, 8, 63, 64, 511, 512, 513, 5000}) {
    Filled memory(bytes);
    EXPECT_FALSE(memory.note()) << bytes;
    EXPECT_EQ(memory.range(), Range(1, 0)) << bytes;
  }
}

TEST(NoteWritten, TheWordOfAByteThatIsNew) {
  for (const u64 at : {0, 9, 511, 512, 1030, 4999}) {
    Filled memory(5000);
    memory.data[at] = std::byte(1);
    EXPECT_FALSE(memory.note());
    EXPECT_EQ(memory.range(), Range(at / 8 * 8, at / 8 * 8 + 7)) << at;
  }
  Filled memory(517);
  memory.data[516] = std::byte(1);
  EXPECT_FALSE(memory.note());
  EXPECT_EQ(memory.range(), Range(512, 516));
}

TEST(NoteWritten, WhatSomebodyNotedIsNotNew) {
  Filled memory(1024);
  memory.data[100] = std::byte(1);
  set_bits(memory.written.data(), 100, 101);
  EXPECT_FALSE(memory.note());
  EXPECT_EQ(memory.range(), Range(100, 100));
}

TEST(NoteWritten, AllIsKnownToBe) {
  for (const u64 bytes : {3, 8, 100, 512, 2000}) {
    Filled memory(bytes);
    set_bits(memory.written.data(), 0, bytes - 1);
    EXPECT_FALSE(memory.note()) << bytes;
    set_bits(memory.written.data(), 0, bytes);
    EXPECT_TRUE(memory.note()) << bytes;
    memory.written.assign(memory.written.size(), 0);
    memory.data.assign(bytes, std::byte(7));
    EXPECT_TRUE(memory.note()) << bytes;
  }
}

}  // namespace
}  // namespace ropewalk::driver
