// Fat binaries of nvcc in each of its compression modes (tests/data/driver/add.cu says how they were made), and what
// damage does to them.
#include "lib/ptx/fat_binary.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lib/base/mapped_file.h"
#include "lib/ptx/read.h"
#include "tests/lib/message.h"

namespace ropewalk::ptx {
namespace {

using EntryKind = FatBinaryEntry::Kind;
using Packing = FatBinaryEntry::Packing;

std::string bytes_of(const std::string& mode) {
  return std::string(MappedFile(ROPEWALK_SOURCE_DIR "/tests/data/driver/add_" + mode + ".fatbin").text());
}

std::vector<FatBinaryEntry> entries_of(const std::string& bytes) {
  return read_fat_binary(std::as_bytes(std::span(bytes)), "x.fatbin");
}

class EachMode : public ::testing::TestWithParam<std::pair<const char*, Packing>> {};

TEST_P(EachMode, GivesThePtx) {
  const std::string bytes = bytes_of(GetParam().first);
  const auto entries = entries_of(bytes);
  ASSERT_EQ(entries.size(), 2u);
  for (u32 n = 0; n < 2; ++n) {
    EXPECT_EQ(entries[n].kind, EntryKind::ptx);
    EXPECT_EQ(entries[n].packing, GetParam().second);
    EXPECT_EQ(entries[n].architecture, n == 0 ? 80u : 90u);
    const ptx::Module module = ptx::read(unpack(entries[n], "x.fatbin"), "x.ptx");
    ASSERT_EQ(module.functions.size(), 1u);
    EXPECT_EQ(module.functions[0].name, "add_one");
  }
}

// A byte that is lost or changed is refused with one line, or does not matter; nothing else may happen.
TEST_P(EachMode, DamageIsRefused) {
  const std::string whole = bytes_of(GetParam().first);
  u32 refused = 0;
  const auto look = [&](const std::string& bytes) {
    try {
      for (const FatBinaryEntry& entry : entries_of(bytes)) unpack(entry, "x.fatbin");
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("x.fatbin: fat binary: ")) << error.what();
      ++refused;
    }
  };
  for (u64 size = 0; size < whole.size(); ++size) look(whole.substr(0, size));
  EXPECT_EQ(refused, whole.size());
  refused = 0;
  for (u64 at = 0; at < 180; ++at) {
    std::string bytes = whole;
    bytes[at] = char(bytes[at] ^ 0xff);
    look(bytes);
  }
  EXPECT_GT(refused, 20u);
}

INSTANTIATE_TEST_SUITE_P(FatBinary, EachMode,
                         ::testing::Values(std::pair{"none", Packing::none}, std::pair{"speed", Packing::lz4},
                                           std::pair{"size", Packing::zstd}),
                         [](const auto& info) { return std::string(info.param.first); });

// As crt/host_runtime.h and crt/link.stub hand it over: a wrapper, and one of separate compilation with what was
// linked.
TEST(FatBinary, IsReadThroughItsWrapper) {
  struct {
    u32 magic = fat_binary_wrapper_magic, version = 1;
    const void* binary;
    const void* const* linked = nullptr;
  } wrapper;
  const std::string first = bytes_of("size"), second = bytes_of("speed");
  const void* linked[] = {second.data(), nullptr};
  wrapper.binary = first.data();
  EXPECT_EQ(fat_binary_at(&wrapper, "program").size(), 2u);
  EXPECT_EQ(fat_binary_at(first.data(), "program").size(), 2u);
  wrapper.version = 2;
  wrapper.linked = linked;
  const auto entries = fat_binary_at(&wrapper, "program");
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[3].packing, Packing::lz4);
  EXPECT_EQ(unpack(entries[0], "program"), unpack(entries[2], "program"));
}

TEST(FatBinary, MessagesSayWhatIsWrong) {
  EXPECT_EQ(message_of([] { entries_of("short"); }), "x.fatbin: fat binary: ends inside its header");
  EXPECT_EQ(message_of([] { entries_of(std::string(64, 'x')); }),
            "x.fatbin: fat binary: does not begin with the magic number 0xba55ed50");
  EXPECT_EQ(message_of([] { fat_binary_at("text and more text", "module"); }),
            "module: fat binary: does not begin with the magic number 0xba55ed50");
  EXPECT_EQ(message_of([] { entries_of(bytes_of("size").substr(0, 200)); }),
            "x.fatbin: fat binary: is shorter than its header says");
  std::string bytes = bytes_of("size");
  const u64 much = u64(1) << 40;
  std::memcpy(bytes.data() + 16 + 56, &much, sizeof much);
  EXPECT_EQ(message_of([&] { unpack(entries_of(bytes)[0], "x.fatbin"); }),
            "x.fatbin: fat binary: claims an impossible length of 1099511627776 bytes of an entry");
}

}  // namespace
}  // namespace ropewalk::ptx
