#include "lib/driver/virtual_memory.h"

#include <unistd.h>

#include "lib/base/bits.h"
#include "tests/lib/driver/session_fixture.h"

namespace ropewalk::driver {
namespace {

constexpr u64 granule = AddressRange::granule;

struct VirtualMemory : SessionTest {
  const u64 used = session.memory().used(0);  // by variables
  Allocation* const range = session.memory().reserve(8 * granule, "cuMemAddressReserve");

  u64 create(u64 bytes, bool is_shareable = false) {
    return session.memory().create(PhysicalMemory::make(bytes, 0, is_shareable), "cuMemCreate")->address;
  }
  Result map(u64 n, u64 handle, u64 count = 1) {
    return session.memory().map(range->address + n * granule, count * granule, handle);
  }
  void open(u64 n, u64 count = 1) { EXPECT_TRUE(range->range->set_access(n * granule, count * granule, 0, 3)); }
  Result unmap(u64 n, u64 count = 1) {
    return session.memory().unmap(range->address + n * granule, count * granule, "cuMemUnmap");
  }
  void fill(u64 n, u64 bytes) {
    EXPECT_EQ(session.memory().set({range->address + n * granule}, 0, 1, bytes, 1, "cuMemsetD8"), Result::Success);
  }
  // scale of 100 elements that begin at the byte.
  void scale(u64 at) {
    Allocation* const y = memory(400);
    u64 x = range->address + at;
    int n = 100;
    EXPECT_EQ(run("scale", 1, 128, {&x, &y->address, &n}), Result::Success);
    // A fault breaks the context: each launch is judged by itself.
    for (Context* context : session.contexts().all()) context->error = Result::Success;
  }
};

TEST_F(VirtualMemory, IsThereWhereItIsMappedAndOpen) {
  EXPECT_EQ(map(1, create(granule)), Result::Success);
  scale(granule);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].evidence.back().find("device 0 has no access"), std::string::npos) << found[0].evidence.back();
  EXPECT_EQ(rules(), std::vector{Rule::IllegalAddress});
  open(1);
  fill(1, granule);
  scale(granule);
  scale(2 * granule - 400);
  EXPECT_TRUE(found.empty());
  for (const u64 at : {granule - 4, 2 * granule - 396, 5 * granule}) {
    scale(at);
    EXPECT_EQ(rules(), std::vector{Rule::IllegalAddress}) << at;
  }
}

TEST_F(VirtualMemory, GapsBetweenMappingsAreNotThere) {
  for (const u64 n : {0, 1, 3}) EXPECT_EQ(map(n, create(granule)), Result::Success);
  open(0, 2);
  open(3);
  fill(0, 2 * granule);
  fill(3, granule);
  scale(granule - 200);
  EXPECT_TRUE(found.empty());
  scale(2 * granule - 200);
  EXPECT_EQ(rules(), std::vector{Rule::IllegalAddress});
  EXPECT_EQ(session.memory().set({range->address}, 0, 1, 2 * granule + 1, 1, "cuMemsetD8"), Result::InvalidValue);
  EXPECT_EQ(rules(), std::vector{Rule::IllegalAddress});
}

TEST_F(VirtualMemory, TheSameMemoryTwiceIsTheSameBytes) {
  const u64 handle = create(granule);
  EXPECT_EQ(map(0, handle), Result::Success);
  EXPECT_EQ(map(4, handle), Result::Success);
  open(0);
  open(4);
  fill(0, 400);
  EXPECT_TRUE(all_bits(range->initialized, 4 * granule, 4 * granule + 400));
  EXPECT_FALSE(any_bit(range->initialized, 4 * granule + 400, 5 * granule));
  range->data[4 * granule + 5] = std::byte(7);
  EXPECT_EQ(range->data[5], std::byte(7));
  EXPECT_TRUE(range->range->is_aliased());
}

TEST_F(VirtualMemory, MappingsAreTakenAsAWhole) {
  const u64 handle = create(2 * granule);
  EXPECT_EQ(map(0, handle, 3), Result::NotSupported);
  EXPECT_EQ(map(0, handle, 2), Result::Success);
  EXPECT_EQ(map(1, create(granule)), Result::InvalidValue);
  EXPECT_EQ(map(2, create(granule)), Result::Success);
  EXPECT_EQ(map(8, handle), Result::InvalidValue);
  EXPECT_FALSE(range->range->set_access(0, granule, 0, 3));
  EXPECT_FALSE(range->range->set_access(0, 4 * granule, 0, 3));
  EXPECT_EQ(unmap(0), Result::InvalidValue);
  EXPECT_EQ(unmap(1, 2), Result::InvalidValue);
  EXPECT_EQ(unmap(0, 1 << 20), Result::InvalidValue);
  EXPECT_EQ(unmap(0, 5), Result::Success);  // with a hole at its end
  EXPECT_TRUE(range->range->is_empty());
  EXPECT_EQ(unmap(0, 1), Result::Success);
}

TEST_F(VirtualMemory, LivesAsLongAsItIsMappedOrHeld) {
  const u64 handle = create(granule);
  EXPECT_EQ(map(0, handle), Result::Success);
  EXPECT_EQ(session.memory().release_physical(handle, "cuMemRelease"), Result::Success);
  EXPECT_EQ(session.memory().used(0) - used, granule);
  EXPECT_EQ(session.memory().release_physical(handle, "cuMemRelease"), Result::InvalidValue);
  EXPECT_EQ(rules(), std::vector{Rule::InvalidFree});
  EXPECT_EQ(session.memory().free_reserved(range->address, range->bytes, "cuMemAddressFree"), Result::InvalidValue);
  EXPECT_EQ(rules(), std::vector{Rule::InvalidFree});
  EXPECT_EQ(unmap(0), Result::Success);
  EXPECT_EQ(session.memory().used(0), used);
  EXPECT_EQ(session.memory().free_reserved(range->address, range->bytes, "cuMemAddressFree"), Result::Success);
  scale(0);
  EXPECT_EQ(rules(), std::vector{Rule::UseAfterFree});
  EXPECT_EQ(session.memory().free_reserved(range->address, range->bytes, "cuMemAddressFree"), Result::InvalidValue);
  EXPECT_EQ(rules(), std::vector{Rule::DoubleFree});
}

TEST_F(VirtualMemory, IsSharedByAFile) {
  const u64 handle = create(granule, true);
  EXPECT_EQ(map(0, handle), Result::Success);
  open(0);
  fill(0, 100);
  const int file = session.memory().physical(handle)->physical->share();
  ASSERT_GE(file, 0);
  const u64 same = session.memory().create(PhysicalMemory::open(file), "cuMemImportFromShareableHandle")->address;
  close(file);
  EXPECT_EQ(session.memory().used(0) - used, granule);
  EXPECT_EQ(map(2, same), Result::Success);
  open(2);
  EXPECT_TRUE(all_bits(range->initialized, 2 * granule, 2 * granule + 100));
  EXPECT_EQ(PhysicalMemory::open(0), nullptr);
  EXPECT_EQ(session.memory().physical(create(granule))->physical->share(), -1);
}

}  // namespace
}  // namespace ropewalk::driver
