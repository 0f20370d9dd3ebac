// One flipped bit in any place of any table: nothing else is claimed of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lib/rope/draws.h"

namespace ropewalk::rope::testing {
namespace {

// Bytes of a tensor that can be written.
std::vector<std::byte> writable(DumpTensor& tensor) {
  std::vector<std::byte> bytes(tensor.data.begin(), tensor.data.end());
  tensor.data = bytes;
  tensor.mapped = false;
  return bytes;
}

struct Flipped {
  Draw draw;
  std::vector<std::byte> bytes;  // of the tensor, which the draw refers to
  std::string what;
};

// A healthy draw with one bit of one table flipped, where the file has it: in either copy of a repeated column.
Flipped with_a_flipped_bit(u64 seed) {
  Flipped out{healthy_draw(seed), {}, ""};
  Random random = Random(seed).split(4711);
  Dump& dump = out.draw.dumps[random.below(out.draw.dumps.size())];
  DumpTensor* tensor = nullptr;
  while (!tensor || tensor->name.ends_with("inv_freq")) tensor = &dump.tensors[random.below(dump.tensors.size())];
  out.bytes = writable(*tensor);
  const size_t byte = random.below(out.bytes.size()), bit = random.below(8);
  out.bytes[byte] ^= std::byte(1 << bit);
  const size_t width = size_of(tensor->dtype == Dtype::C64 ? Dtype::F32 : tensor->dtype);
  out.what =
      fmt::format("{}: {}, element {}, bit {}", out.draw.text, tensor->name, byte / width, 8 * (byte % width) + bit);
  return out;
}

TEST(FlippedBits, AreNoOtherCause) {
  constexpr u64 count = 150;
  u64 found = 0;
  for (u64 seed = 0; seed < count; ++seed) {
    const Flipped one = with_a_flipped_bit(seed);
    const std::string answer = answer_to(one.draw);
    found += answer != "healthy";
    const bool right =
        answer == "healthy" || answer == "flipped-bit" || answer == "isolated-elements" || answer == "not-a-number";
    EXPECT_TRUE(right) << answer << ": seed " << seed << ", " << one.what;
  }
  // The last bits of a mantissa are inside of the bounds.
  EXPECT_GE(found * 5, count);
}

}  // namespace
}  // namespace ropewalk::rope::testing
