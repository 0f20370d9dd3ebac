#include "lib/driver/memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lib/base/bits.h"

namespace ropewalk::driver {
namespace {

struct Fixture : ::testing::Test {
  std::vector<MemoryDefect> reported;
  DeviceMemory memory{u64(1) << 20, [this](const MemoryDefect& defect) { reported.push_back(defect); }};

  Allocation* device(u64 bytes) {
    return memory.allocate({.kind = MemoryKind::Device, .bytes = bytes, .call = "cuMemAlloc"});
  }
  Result release(u64 address) { return memory.release(address, MemoryKind::Device, "cuMemFree"); }
  Result to_device(u64 to, const void* from, u64 bytes) {
    return memory.copy({.to = {to}, .from = {u64(from)}, .bytes = bytes, .to_device = true}, "cuMemcpyHtoD");
  }
  Result to_host(void* to, u64 from, u64 bytes) {
    return memory.copy({.to = {u64(to)}, .from = {from}, .bytes = bytes, .from_device = true}, "cuMemcpyDtoH");
  }
  // The only defect since this was asked last.
  Rule rule() {
    EXPECT_EQ(reported.size(), 1u);
    const Rule out = reported.empty() ? Rule::Hang : reported[0].rule;
    reported.clear();
    return out;
  }
};
using MemoryOfDevices = Fixture;

TEST_F(MemoryOfDevices, KnowsAnAddressByItsStartAndInside) {
  Allocation* const a = device(100);
  Allocation* const b = device(100);
  EXPECT_NE(a->address, b->address);
  EXPECT_EQ(memory.find(a->address).allocation, a);
  EXPECT_EQ(memory.find(a->address + 99).offset, 99u);
  EXPECT_EQ(memory.find(a->address + 100).allocation, nullptr);
  EXPECT_EQ(memory.find(0x1234).allocation, nullptr);
}

TEST_F(MemoryOfDevices, HasALimit) {
  EXPECT_EQ(device((u64(1) << 20) + 1), nullptr);
  Allocation* const most = device(u64(1) << 20);
  ASSERT_NE(most, nullptr);
  EXPECT_EQ(device(1), nullptr);
  EXPECT_EQ(release(most->address), Result::Success);
  EXPECT_NE(device(1), nullptr);
  EXPECT_TRUE(reported.empty());
}

TEST_F(MemoryOfDevices, CopiesCarryWhatIsWritten) {
  Allocation* const a = device(256);
  Allocation* const b = device(256);
  const std::vector<char> bytes(100, 'x');
  EXPECT_EQ(to_device(a->address + 3, bytes.data(), 100), Result::Success);
  EXPECT_FALSE(any_bit(a->initialized, 0, 3));
  EXPECT_TRUE(all_bits(a->initialized, 3, 103));
  EXPECT_FALSE(any_bit(a->initialized, 103, 256));
  for (const u64 shift : {0, 1, 64}) {
    ASSERT_EQ(memory.set({b->address}, 0, 1, 256, 1, "cuMemsetD8"), Result::Success);
    ASSERT_TRUE(all_bits(b->initialized, 0, 256));
    ASSERT_EQ(memory.copy({.to = {b->address + shift}, .from = {a->address}, .bytes = 128}, "cuMemcpy"),
              Result::Success);
    EXPECT_FALSE(any_bit(b->initialized, shift, shift + 3)) << shift;
    EXPECT_TRUE(all_bits(b->initialized, shift + 3, shift + 103)) << shift;
    EXPECT_FALSE(any_bit(b->initialized, shift + 103, shift + 128)) << shift;
    EXPECT_TRUE(all_bits(b->initialized, shift + 128, 256)) << shift;
  }
  EXPECT_TRUE(reported.empty());
}

TEST_F(MemoryOfDevices, CopiesRowsWithPitches) {
  Allocation* const a = device(64);
  const char rows[] = "abc...def...";
  ASSERT_EQ(memory.copy({.to = {a->address, 8, 16}, .from = {u64(rows), 6, 12}, .bytes = 3, .rows = 2}, "cuMemcpy2D"),
            Result::Success);
  char got[12] = {};
  ASSERT_EQ(to_host(got, a->address, 11), Result::Success);
  EXPECT_EQ(std::string(got, 3), "abc");
  EXPECT_EQ(std::string(got + 8, 3), "def");
  EXPECT_FALSE(any_bit(a->initialized, 3, 8));
}

TEST_F(MemoryOfDevices, FillsElementsOfEachWidth) {
  Allocation* const a = device(64);
  ASSERT_EQ(memory.set({a->address}, 0x01020304, 4, 2, 1, "cuMemsetD32"), Result::Success);
  ASSERT_EQ(memory.set({a->address + 8}, 0x0506, 2, 1, 1, "cuMemsetD16"), Result::Success);
  u32 got[3] = {};
  ASSERT_EQ(to_host(got, a->address, 12), Result::Success);
  EXPECT_EQ(got[1], 0x01020304u);
  EXPECT_EQ(got[2] & 0xffff, 0x0506u);
  EXPECT_EQ(memory.set({a->address + 1}, 0, 4, 1, 1, "cuMemsetD32"), Result::InvalidValue);
}

TEST_F(MemoryOfDevices, CopiesPastAnEndAreDefects) {
  Allocation* const a = device(64);
  char host[128] = {};
  EXPECT_EQ(to_device(a->address, host, 64), Result::Success);
  EXPECT_TRUE(reported.empty());
  EXPECT_EQ(to_device(a->address, host, 65), Result::InvalidValue);
  EXPECT_EQ(*reported[0].access->bytes_past_end, 0);
  EXPECT_EQ(rule(), Rule::OutOfBoundsWrite);
  EXPECT_EQ(to_host(host, a->address + 60, 5), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::OutOfBoundsRead);
  EXPECT_EQ(to_host(host, a->address - 4, 4), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::OutOfBoundsRead);
  EXPECT_EQ(memory.set({a->address + 32}, 0, 4, 9, 1, "cuMemsetD32"), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::OutOfBoundsWrite);
  EXPECT_EQ(to_device(u64(host), host + 64, 4), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::IllegalAddress);
}

TEST_F(MemoryOfDevices, CopiesOntoWhatTheyReadAreDefects) {
  Allocation* const a = device(256);
  const auto copied = [&](const DeviceMemory::Copy& copy) {
    reported.clear();
    EXPECT_EQ(memory.copy(copy, "cuMemcpyDtoD"), Result::Success);
    return reported.size();
  };
  const u64 at = a->address;
  EXPECT_EQ(copied({.to = {at + 64}, .from = {at}, .bytes = 64}), 0u);
  EXPECT_EQ(copied({.to = {at}, .from = {at + 64}, .bytes = 64}), 0u);
  EXPECT_EQ(copied({.to = {at}, .from = {at}, .bytes = 64}), 0u);  // onto itself
  EXPECT_EQ(copied({.to = {at + 63}, .from = {at}, .bytes = 64}), 1u);
  EXPECT_EQ(rule(), Rule::OverlappingCopy);
  EXPECT_EQ(copied({.to = {at}, .from = {at + 63}, .bytes = 64}), 1u);
  EXPECT_EQ(rule(), Rule::OverlappingCopy);
  // Columns side by side in the same rows, and columns that share one.
  EXPECT_EQ(copied({.to = {at + 8, 16, 256}, .from = {at, 16, 256}, .bytes = 8, .rows = 16}), 0u);
  EXPECT_EQ(copied({.to = {at, 8, 256}, .from = {at, 16, 256}, .bytes = 8, .rows = 8}), 1u);  // the rows move together
  EXPECT_EQ(rule(), Rule::OverlappingCopy);
  EXPECT_EQ(copied({.to = {at + 7, 16, 256}, .from = {at, 16, 256}, .bytes = 8, .rows = 15}), 1u);
  EXPECT_EQ(rule(), Rule::OverlappingCopy);
}

TEST_F(MemoryOfDevices, FreesOnceAndAtTheStart) {
  Allocation* const a = device(64);
  char host[4] = {};
  EXPECT_EQ(release(a->address + 8), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::InvalidFree);
  EXPECT_EQ(memory.release(a->address, MemoryKind::Host, "cuMemFreeHost"), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::InvalidFree);
  EXPECT_EQ(release(a->address), Result::Success);
  EXPECT_EQ(release(0), Result::Success);
  EXPECT_TRUE(reported.empty());
  EXPECT_EQ(release(a->address), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::DoubleFree);
  EXPECT_EQ(to_device(a->address, host, 4), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::UseAfterFree);
  EXPECT_EQ(release(u64(host)), Result::InvalidValue);
  EXPECT_EQ(rule(), Rule::InvalidFree);
}

TEST_F(MemoryOfDevices, RemembersWhatWasFreedOfLate) {
  const u64 first = device(16)->address;
  EXPECT_EQ(release(first), Result::Success);
  for (int n = 0; n < 255; ++n) release(device(16)->address);
  EXPECT_TRUE(memory.find(first).allocation && memory.find(first).allocation->freed);
  for (int n = 0; n < 300; ++n) release(device(16)->address);
  EXPECT_LE(memory.all().size(), 257u);
  EXPECT_TRUE(reported.empty());
}

TEST_F(MemoryOfDevices, ManagedMemoryIsTheHostsToo) {
  Allocation* const a = memory.allocate({.kind = MemoryKind::Managed, .bytes = 64, .call = "cuMemAllocManaged"});
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->address, u64(a->data));
  EXPECT_EQ(a->initialized, nullptr);
  EXPECT_EQ(memory.find(a->address + 63).allocation, a);
  EXPECT_EQ(release(a->address), Result::Success);
}

TEST_F(MemoryOfDevices, LendsMemoryOfTheProgram) {
  std::vector<char> bytes(256);
  Allocation* const lent = memory.lend(bytes.data(), 128, "test");
  ASSERT_NE(lent, nullptr);
  EXPECT_EQ(memory.lend(bytes.data(), 128, "test"), lent);
  EXPECT_EQ(memory.lend(bytes.data() + 64, 128, "test"), nullptr);
  EXPECT_NE(memory.lend(bytes.data() + 128, 128, "test"), nullptr);
  EXPECT_EQ(memory.take_back(bytes.data(), "test"), Result::Success);
  EXPECT_EQ(memory.find(u64(bytes.data())).allocation, lent);
  EXPECT_EQ(memory.take_back(bytes.data(), "test"), Result::Success);
  EXPECT_EQ(memory.find(u64(bytes.data())).allocation, nullptr);
  EXPECT_EQ(memory.take_back(bytes.data(), "test"), Result::HostMemoryNotRegistered);
}

TEST_F(MemoryOfDevices, KnowsMemoryOfTheProgramThatWasFreed) {
  std::vector<char> bytes(256);
  char* const second = bytes.data() + 128;
  memory.note_freed(bytes.data(), 128, "test");
  memory.note_freed(bytes.data(), 128, "test");
  const Allocation* const freed = memory.find(u64(bytes.data())).allocation;
  ASSERT_NE(freed, nullptr);
  EXPECT_TRUE(freed->freed);
  EXPECT_EQ(memory.take_back(bytes.data(), "test"), Result::HostMemoryNotRegistered);
  Allocation* const lent = memory.lend(bytes.data(), 128, "test");
  ASSERT_NE(lent, nullptr);
  EXPECT_FALSE(lent->freed);
  memory.note_freed(bytes.data() + 64, 128, "test");  // overlaps with what is lent
  EXPECT_EQ(memory.find(u64(second)).allocation, nullptr);
  memory.note_freed(second, 128, "test");
  EXPECT_NE(memory.find(u64(second)).allocation, nullptr);
  memory.forget_freed(second);
  memory.forget_freed(bytes.data());  // is not freed
  EXPECT_EQ(memory.find(u64(second)).allocation, nullptr);
  EXPECT_EQ(memory.find(u64(bytes.data())).allocation, lent);
}

TEST_F(MemoryOfDevices, AResetTakesWhatADeviceHas) {
  device(64);
  memory.allocate({.device = 1, .bytes = 64, .call = "cuMemAlloc"});
  memory.reset(0);
  ASSERT_EQ(memory.live().size(), 1u);
  EXPECT_EQ(memory.live()[0]->device, 1u);
  EXPECT_EQ(memory.used(0), 0u);
}

}  // namespace
}  // namespace ropewalk::driver
