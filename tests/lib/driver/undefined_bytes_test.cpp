#include "lib/driver/undefined_bytes.h"

#include <gtest/gtest.h>

#include "lib/base/bits.h"

namespace ropewalk::driver {
namespace {

std::shared_ptr<const UndefinedStored> stored(const std::string& id) {
  UndefinedStored out(1);
  out[0].finding.id = id;
  return std::make_shared<UndefinedStored>(std::move(out));
}

struct Memory {
  explicit Memory(u64 bytes) : words((bytes + 63) / 64, ~u64(0)) {}
  void forget(u64 first, u64 last) { clear_bits(words.data(), first, last); }
  void write(u64 first, u64 last) { set_bits(words.data(), first, last); }
  UndefinedBytes::Written written() const { return {words.data(), 8}; }

  std::vector<u64> words;
};

TEST(UndefinedBytes, AreUsedWhereTheyAreNotOverwritten) {
  Memory memory(1000);
  memory.forget(100, 200);
  UndefinedBytes bytes;
  bytes.add({ByteSet(100, 200), stored("a")});
  EXPECT_TRUE(bytes.used(memory.written(), 0, 100).empty());
  EXPECT_TRUE(bytes.used(memory.written(), 200, 1000).empty());
  EXPECT_EQ(bytes.used(memory.written(), 0, 101).size(), 1u);
  EXPECT_EQ(bytes.used(memory.written(), 199, 1000).size(), 1u);
  memory.write(100, 199);
  EXPECT_TRUE(bytes.used(memory.written(), 0, 199).empty());
  EXPECT_EQ(bytes.used(memory.written(), 37, 963).size(), 1u);
  memory.write(199, 200);
  EXPECT_TRUE(bytes.used(memory.written(), 0, 1000).empty());
}

TEST(UndefinedBytes, OfOneInstructionAreKeptTogether) {
  Memory memory(1000);
  memory.forget(0, 1000);
  UndefinedBytes bytes;
  bytes.add({ByteSet(500, 510), stored("a")});
  bytes.add({ByteSet(100, 110), stored("a")});
  bytes.add({ByteSet(300, 310), stored("b")});
  EXPECT_EQ(bytes.used(memory.written(), 0, 1000).size(), 2u);
  ASSERT_EQ(bytes.used(memory.written(), 100, 101).size(), 1u);
  ASSERT_EQ(bytes.used(memory.written(), 505, 600).size(), 1u);
  EXPECT_EQ(bytes.used(memory.written(), 505, 600)[0]->front().finding.id, "a");
  EXPECT_TRUE(bytes.used(memory.written(), 110, 300).empty());
}

TEST(UndefinedBytes, GoWithCopies) {
  UndefinedBytes bytes;
  bytes.add({ByteSet(100, 200), stored("a")});
  const std::vector<UndefinedBytes::Part> moved = bytes.moved(150, 250, 1003);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_TRUE(moved[0].bytes.has_all(ByteSet(1003, 1053)));
  EXPECT_TRUE(ByteSet(1003, 1053).has_all(moved[0].bytes));
  EXPECT_TRUE(bytes.moved(200, 300, 0).empty());
}

// { double; int; } side by side: the last four bytes of each.
TEST(UndefinedBytes, ThatPadStructsAreNotUsed) {
  Memory memory(160);
  UndefinedBytes bytes;
  ByteSet holes;
  for (u64 at = 0; at < 160; at += 16) {
    memory.forget(at + 12, at + 16);
    holes.add(at + 12, at + 16);
  }
  bytes.add({holes, stored("a")});
  EXPECT_TRUE(bytes.used(memory.written(), 0, 160).empty());
  EXPECT_TRUE(bytes.used(memory.written(), 48, 64).empty());
  memory.forget(40, 44);
  bytes.add({ByteSet(40, 44), stored("b")});
  EXPECT_EQ(bytes.used(memory.written(), 0, 160).back()->front().finding.id, "b");
}

TEST(UndefinedBytes, ThatNobodyLookedAtAreResults) {
  Memory memory(100);
  memory.forget(0, 100);
  UndefinedBytes bytes;
  bytes.add({ByteSet(0, 10), stored("scratch"), false});
  EXPECT_TRUE(bytes.used(memory.written(), 0, 100, true).empty());
  bytes.add({ByteSet(20, 30), stored("result"), true});
  EXPECT_EQ(bytes.used(memory.written(), 0, 100, true).size(), 1u);
  bytes.look_at();
  EXPECT_TRUE(bytes.used(memory.written(), 0, 100, true).empty());
  EXPECT_EQ(bytes.used(memory.written(), 0, 100).size(), 2u);
}

}  // namespace
}  // namespace ropewalk::driver
