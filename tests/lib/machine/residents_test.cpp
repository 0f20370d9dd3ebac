// Tensors that outlive a launch: the machine works on them in place.
#include <gtest/gtest.h>

#include "lib/machine/address.h"
#include "lib/machine/machine.h"
#include "lib/ptx/read.h"

namespace ropewalk {
namespace {

constexpr u64 window = machine::first_resident_window;

// y[i] = *p[0] + i by 32 threads, where p holds a pointer.
constexpr const char* through_a_pointer = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p, .param .u64 y) {
  .reg .b32 %r<4>;
  .reg .b64 %a<6>;
  ld.param.u64 %a0, [p];
  ld.param.u64 %a1, [y];
  ld.global.u64 %a2, [%a0];
  ld.global.u32 %r0, [%a2];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r0, %r1;
  mul.wide.u32 %a3, %r1, 4;
  add.u64 %a4, %a1, %a3;
  st.global.u32 [%a4], %r2;
  ret;
}
)";

// x[0] += 1 by one thread, read again from memory and stored, as every launch after the first must see.
constexpr const char* counting = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 launches = 5;
.visible .entry count(.param .u64 x) {
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  ld.param.u64 %a0, [x];
  ld.global.u32 %r0, [launches];
  add.u32 %r0, %r0, 1;
  st.global.u32 [launches], %r0;
  st.global.u32 [%a0], %r0;
  ret;
}
)";

// All threads store their number to one address: a race, for which a launch runs several times.
constexpr const char* racing = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry race(.param .u64 x) {
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  ld.param.u64 %a0, [x];
  ld.global.u32 %r0, [%a0+4];
  add.u32 %r0, %r0, 1;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p0, %r1, 0;
  @!%p0 st.global.u32 [%a0+4], %r0;
  st.global.u32 [%a0], %r1;
  ret;
}
)";

// Stores its block's number to the element of its own and, by all threads, its thread's number to element 0: a race in
// one element of a large tensor.
constexpr const char* far_apart = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry far(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<4>;
  .reg .b64 %a<6>;
  ld.param.u64 %a0, [x];
  ld.param.u64 %a1, [y];
  mov.u32 %r0, %ctaid.x;
  mul.wide.u32 %a2, %r0, 400000;
  add.u64 %a3, %a0, %a2;
  ld.global.u32 %r1, [%a3];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%a3], %r1;
  atom.global.add.u32 %r2, [%a3+1024], 3;
  st.global.u32 [%a1], %r0;
  ret;
}
)";

struct Block {
  std::vector<u32> words;
  std::vector<u64> initialized;
  u64 address;

  Block(u64 count, u64 at) : words(count, 0xffffffff), initialized((count * 4 + 63) / 64), address(at) {}
  void put(u64 n, u32 value) {
    words[n] = value;
    for (u64 byte = 4 * n; byte < 4 * n + 4; ++byte) initialized[byte / 64] |= u64(1) << (byte % 64);
  }
  bool has(u64 n) const { return initialized[n / 16] >> (4 * n % 64) & 1; }
  LaunchTensor tensor(const std::string& name) {
    LaunchTensor out;
    out.name = name;
    out.dtype = Dtype::U32;
    out.shape = {i64(words.size())};
    out.strides = {1};
    out.resident = Resident{reinterpret_cast<std::byte*>(words.data()), initialized.data(), address};
    return out;
  }
};

u64 device_address(u64 n) { return machine::generic_base(window + n) + machine::window_lead; }

Launch launch_of(const char* text, const char* entry, u32 threads) {
  Launch launch;
  launch.module = std::make_shared<const ptx::Module>(ptx::read(text, "kernel.ptx"));
  launch.entry = launch.kernel_name = entry;
  launch.block.x = threads;
  return launch;
}

TEST(Residents, pointers_in_memory_lead_where_they_point) {
  Block value(1, device_address(0)), pointer(2, device_address(7)), out(32, device_address(3));
  value.put(0, 100);
  pointer.put(0, u32(value.address));
  pointer.put(1, u32(value.address >> 32));
  Launch launch = launch_of(through_a_pointer, "add", 32);
  launch.tensors = {pointer.tensor("p"), out.tensor("y"), value.tensor("value")};
  launch.arguments = {TensorArgument{0}, TensorArgument{1}};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
  EXPECT_EQ(out.words[31], 131u);
  EXPECT_TRUE(out.has(31));
}

TEST(Residents, addresses_of_the_process_lead_into_memory_of_the_process) {
  Block value(1, 0), pointer(2, device_address(7)), out(32, device_address(3));
  value.address = u64(value.words.data());
  value.put(0, 100);
  pointer.put(0, u32(value.address));
  pointer.put(1, u32(value.address >> 32));
  Launch launch = launch_of(through_a_pointer, "add", 32);
  launch.tensors = {pointer.tensor("p"), out.tensor("y"), value.tensor("value")};
  launch.arguments = {TensorArgument{0}, TensorArgument{1}};
  EXPECT_EQ(machine::make_machine()->run(launch, {}).kind, OutcomeKind::Agreed);
  EXPECT_EQ(out.words[0], 100u);
  // Just past its end and before its start are accesses outside of it, further away it is memory of the host.
  const auto rule_at = [&](i64 offset) {
    pointer.put(0, u32(value.address + offset));
    pointer.put(1, u32((value.address + offset) >> 32));
    const Outcome outside = machine::make_machine()->run(launch, {});
    EXPECT_EQ(outside.findings.size(), 1u) << offset;
    EXPECT_EQ(outside.findings[0].access.has_value(), outside.findings[0].rule == Rule::OutOfBoundsRead) << offset;
    return outside.findings[0].rule;
  };
  EXPECT_EQ(rule_at(4), Rule::OutOfBoundsRead);
  EXPECT_EQ(rule_at(-4), Rule::OutOfBoundsRead);
  const std::vector<std::byte> others(1 << 14);
  EXPECT_EQ(rule_at(others.data() + (1 << 13) - reinterpret_cast<const std::byte*>(value.address)),
            Rule::IllegalAddress);
}

TEST(Residents, what_nobody_wrote_stays_so_from_launch_to_launch) {
  Block value(1, device_address(0)), pointer(2, device_address(7)), out(32, device_address(3));
  pointer.put(0, u32(value.address));
  pointer.put(1, u32(value.address >> 32));
  Launch launch = launch_of(through_a_pointer, "add", 32);
  launch.tensors = {pointer.tensor("p"), out.tensor("y"), value.tensor("value")};
  launch.arguments = {TensorArgument{0}, TensorArgument{1}};
  launch.tensors[1].output = true;
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::UninitializedRead);
}

TEST(Residents, variables_of_the_module_keep_their_values) {
  Block variable(1, device_address(0)), out(1, device_address(1));
  variable.put(0, 41);
  Launch launch = launch_of(counting, "count", 1);
  launch.tensors = {out.tensor("x"), variable.tensor("launches")};
  launch.arguments = {TensorArgument{0}};
  launch.variables = {LaunchVariable{.name = "launches", .tensor = 1}};
  const auto machine = machine::make_machine();
  EXPECT_EQ(machine->run(launch, {}).kind, OutcomeKind::Agreed);
  EXPECT_EQ(out.words[0], 42u);
  EXPECT_EQ(machine->run(launch, {}).kind, OutcomeKind::Agreed);
  EXPECT_EQ(out.words[0], 43u);
  EXPECT_EQ(variable.words[0], 43u);
}

TEST(Residents, a_launch_that_runs_several_times_counts_once) {
  Block x(2, device_address(0));
  x.put(0, 0);
  x.put(1, 7);
  std::string text = racing;
  text.insert(text.find("  .reg .b64"), "  .reg .pred %p<2>;\n");
  Launch launch = launch_of(text.c_str(), "race", 64);
  launch.grid.x = 1;
  launch.tensors = {x.tensor("x")};
  launch.arguments = {TensorArgument{0}};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_GE(outcome.findings.size(), 1u);
  EXPECT_EQ(x.words[1], 8u);
}

TEST(Residents, what_is_stored_over_far_apart_is_put_back_before_each_run) {
  constexpr u64 blocks = 8, apart = 100000;
  Block x(blocks * apart, device_address(0)), y(1, device_address(1));
  for (u64 n = 0; n < x.words.size(); ++n) x.put(n, u32(n));
  Launch launch = launch_of(far_apart, "far", 1);
  launch.grid.x = blocks;
  launch.tensors = {x.tensor("x"), y.tensor("y")};
  launch.arguments = {TensorArgument{0}, TensorArgument{1}};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::GlobalRace);
  u64 wrong = 0;
  for (u64 n = 0; n < x.words.size(); ++n) {
    const u64 added = n % apart == 0 ? 1 : n % apart == 256 ? 3 : 0;
    wrong += x.words[n] != n + added;
  }
  EXPECT_EQ(wrong, 0u);
}

// Two tensors of one allocation, as of an allocator that gives it out in parts, and a view of both.
TEST(Residents, tensors_that_share_bytes_count_once) {
  Block x(40000, device_address(0));
  for (u64 n = 0; n < x.words.size(); ++n) x.put(n, u32(n));
  std::string text = far_apart;
  text.replace(text.find("400000"), 6, "80000");
  Launch launch = launch_of(text.c_str(), "far", 1);
  launch.grid.x = 2;
  LaunchTensor part = x.tensor("part");
  part.resident->address = device_address(1);
  part.shape = {20001};
  launch.tensors = {x.tensor("x"), part};
  launch.arguments = {TensorArgument{0}, TensorArgument{.tensor = 1, .offset_elements = 20000}};
  const Outcome outcome = machine::make_machine()->run(launch, {});
  ASSERT_GE(outcome.findings.size(), 1u);
  EXPECT_EQ(x.words[256], 259u);
  EXPECT_EQ(x.words[20256], 20259u);
}

}  // namespace
}  // namespace ropewalk
