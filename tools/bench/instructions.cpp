#include <fmt/format.h>

#include "lib/ptx/read.h"
#include "tools/bench/measure.h"

namespace ropewalk::tools {
namespace {

constexpr u32 threads = 128;
constexpr u32 blocks = 32;
constexpr u32 copies = 16;  // of the body in the loop
constexpr u32 turns = 64;   // of the loop

// A class of instructions with the body that stands for it. Registers: %r1 thread in the block, %r2 thread in the grid,
// %r4 to %r7 and %f1 to %f4 data, %h1 to %h3 b16, %d1 to %d3 f64, %rd3 the thread's own 4 bytes of data, %rd4 to %rd6
// 64-bit integers, %r8 the thread's own word of shared memory, %p2 data.
struct InstructionClass {
  const char* name;
  const char* body;
};

constexpr InstructionClass classes[] = {
    {"integer add", "add.s32 %r4, %r4, %r5;"},
    {"integer multiply", "mad.lo.s32 %r4, %r4, %r5, %r6;"},
    {"64-bit add", "add.s64 %rd4, %rd4, %rd5;"},
    {"wide multiply", "mul.wide.s32 %rd4, %r4, %r5;"},
    {"integer divide", "div.s32 %r4, %r6, %r5;"},
    {"logic and shift", "xor.b32 %r4, %r4, %r5; shl.b32 %r6, %r4, 3;"},
    {"bit field", "bfe.u32 %r4, %r5, 3, 7; popc.b32 %r6, %r5;"},
    {"compare and select", "setp.lt.s32 %p2, %r4, %r5; selp.b32 %r4, %r5, %r6, %p2;"},
    {"predicated", "@%p2 add.s32 %r4, %r4, %r5;"},
    {"f32 fma", "fma.rn.f32 %f1, %f1, %f2, %f3;"},
    {"f32 multiply, add", "mul.rn.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f2;"},
    {"f32 divide", "div.rn.f32 %f1, %f2, %f3;"},
    {"f32 approximations", "ex2.approx.f32 %f1, %f2; rcp.approx.f32 %f4, %f3;"},
    {"f32 sine, cosine", "sin.approx.f32 %f1, %f2; cos.approx.f32 %f4, %f2;"},
    {"f64 fma", "fma.rn.f64 %d1, %d1, %d2, %d3;"},
    {"f16 arithmetic", "fma.rn.f16 %h1, %h2, %h3, %h2;"},
    {"packed f16", "fma.rn.f16x2 %r4, %r12, %r13, %r14;"},
    {"conversions", "cvt.rn.bf16.f32 %h1, %f2; cvt.f32.bf16 %f1, %h1;"},
    {"global load", "ld.global.f32 %f1, [%rd3];"},
    {"global load, 16 bytes", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd7];"},
    {"global store", "st.global.f32 [%rd3], %f2;"},
    {"shared load", "ld.shared.b32 %r4, [%r8];"},
    {"shared store", "st.shared.b32 [%r8], %r5;"},
    {"global atomic", "atom.global.add.u32 %r4, [%rd1], %r5;"},
    {"shuffle", "shfl.sync.bfly.b32 %r4, %r5, 1, 31, -1;"},
    {"vote", "vote.sync.ballot.b32 %r4, %p2, -1;"},
    {"barrier", "bar.sync 0;"},
    {"matrix multiply, bf16",
     "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f5, %f6, %f7, %f8}, {%r12, %r13, %r14, %r15}, "
     "{%r12, %r13}, {%f5, %f6, %f7, %f8};"},
};

// Every register is written before the loop and differs from lane to lane: what is the same in all lanes is worked out
// once, and would measure something else.
constexpr const char* text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry measured(.param .u64 data)
{{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<16>;
  .reg .f32 %f<9>;
  .reg .f64 %d<4>;
  .reg .b64 %rd<9>;
  .shared .align 16 .b8 area[{shared}];
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r2, %r2, {threads}, %r1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.s64 %rd3, %rd3, 16;
  and.b64 %rd7, %rd3, -16;
  shl.b32 %r8, %r1, 2;
  mov.u32 %r9, area;
  add.u32 %r8, %r9, %r8;
  st.shared.b32 [%r8], %r1;
  mov.u32 %r4, %r1;
  add.u32 %r5, %r1, 1;
  add.u32 %r6, %r1, 7;
  and.b32 %r7, %r1, 1;
  setp.eq.u32 %p2, %r7, 0;
  cvt.u64.u32 %rd4, %r6;
  cvt.u64.u32 %rd5, %r1;
  cvt.rn.f32.u32 %f2, %r5;
  mul.f32 %f2, %f2, 0f3B800000;
  add.f32 %f3, %f2, 0f3E800000;
  mov.f32 %f1, %f3;
  mov.f32 %f4, %f2;
  mov.f32 %f5, %f2;
  mov.f32 %f6, %f2;
  mov.f32 %f7, %f2;
  mov.f32 %f8, %f2;
  cvt.f64.f32 %d1, %f2;
  cvt.f64.f32 %d2, %f2;
  cvt.f64.f32 %d3, %f3;
  cvt.rn.f16.f32 %h1, %f2;
  cvt.rn.f16.f32 %h2, %f2;
  cvt.rn.f16.f32 %h3, %f3;
  mov.b32 %r12, {{%h1, %h2}};
  mov.b32 %r13, {{%h2, %h3}};
  mov.b32 %r14, {{%h3, %h1}};
  mov.b32 %r15, {{%h1, %h3}};
  mov.u32 %r10, 0;
again:
{body}  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, {turns};
  @%p1 bra again;
  ret;
}}
)";

Launch launch_of(const InstructionClass& one) {
  std::string body;
  for (u32 copy = 0; copy < copies; ++copy) body += fmt::format("  {}\n", one.body);
  const std::string ptx = fmt::format(fmt::runtime(text), fmt::arg("body", body), fmt::arg("threads", threads),
                                      fmt::arg("shared", 4 * threads), fmt::arg("turns", turns));
  Launch launch;
  launch.module = std::make_shared<const ptx::Module>(ptx::read(ptx, one.name));
  launch.entry = launch.kernel_name = "measured";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  // Four words before the threads' own ones are for the atomics.
  const i64 words = i64(threads) * blocks + 4;
  launch.tensors.push_back({"data", Dtype::F32, {words}, {1}, Fill{0}});
  launch.arguments = {TensorArgument{0}};
  return launch;
}

}  // namespace

std::vector<MeasuredLaunch> instruction_subjects() {
  std::vector<MeasuredLaunch> subjects;
  for (const InstructionClass& one : classes) subjects.push_back({one.name, launch_of(one)});
  return subjects;
}

}  // namespace ropewalk::tools
