// Values of which nobody wrote a part: pairs of kernels, of which one lets that part reach something that matters and
// the other does not.
#include <gtest/gtest.h>

#include "tests/lib/machine/run_values.h"

namespace ropewalk {
namespace {

// The lines of `start`, then those of one of the two.
struct Pair {
  const char* name;
  const char* start;
  const char* faulty;
  const char* correct;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

// %r11 is {good, bad}: known in the low half. %p1 is known to be false, %p2 is not known.
constexpr const char* half = R"(
  mov.b32 %r11, {%rs1, %rs3};
  setp.ne.u32 %p1, %r1, %r1;
  setp.lt.u32 %p2, %r4, 12345;
)";

const Pair pairs[] = {
    {"moved", "mov.b64 %rd10, {%r2, %r4};", "mov.b64 {%r12, %r9}, %rd10;", "mov.b64 {%r9, %r12}, %rd10;"},
    {"packed_and_unpacked", "", "mov.b32 {%rs5, %rs6}, %r11; cvt.u32.u16 %r9, %rs6;",
     "mov.b32 {%rs5, %rs6}, %r11; cvt.u32.u16 %r9, %rs5;"},
    {"unpacked_to_a_sink", "mov.b64 %rd10, {%r4, %r2};", "mov.b64 {%r9, _}, %rd10;", "mov.b64 {_, %r9}, %rd10;"},
    {"packed_of_four", "mov.b64 %rd10, {%rs1, %rs3, %rs2, %rs4};",
     "mov.b64 {%rs5, %rs6, %rs7, %rs8}, %rd10; mov.b32 %r9, {%rs5, %rs8};",
     "mov.b64 {%rs5, %rs6, %rs7, %rs8}, %rd10; mov.b32 %r9, {%rs5, %rs7};"},
    {"bytes_permuted", "", "prmt.b32 %r9, %r11, %r2, 0x7624;", "prmt.b32 %r9, %r11, %r2, 0x7614;"},
    {"sign_of_a_byte_permuted", "", "prmt.b32 %r9, %r11, %r2, 0xb4a4;", "prmt.b32 %r9, %r11, %r2, 0x9484;"},
    {"sum_of_halves", "add.f16x2 %r12, %r11, %r2;", "shr.u32 %r9, %r12, 16;",
     "cvt.u16.u32 %rs5, %r12; cvt.u32.u16 %r9, %rs5;"},
    {"fused_halves", "fma.rn.bf16x2 %r12, %r2, %r11, %r3;", "st.global.u32 [%rd1], %r12; mov.u32 %r9, %r12;",
     "mov.b32 {%rs5, %rs6}, %r12; mov.b32 %r9, {%rs5, %rs1};"},
    {"halves_of_integers", "add.s16x2 %r12, %r11, %r3;", "and.b32 %r9, %r12, 0x1ffff;", "and.b32 %r9, %r12, 0xffff;"},
    {"largest_of_halves", "max.f16x2 %r12, %r11, %r3;", "prmt.b32 %r9, %r12, 0, 0x4432;",
     "prmt.b32 %r9, %r12, 0, 0x4410;"},
    {"two_floats_to_halves", "mov.b32 %f1, %r2; mov.b32 %f2, %r4; cvt.rn.bf16x2.f32 %r12, %f2, %f1;",
     "shr.u32 %r9, %r12, 16;", "and.b32 %r9, %r12, 65535;"},
    {"two_floats_to_halves_the_other_way", "mov.b32 %f1, %r2; mov.b32 %f2, %r4; cvt.rn.f16x2.f32 %r12, %f1, %f2;",
     "and.b32 %r9, %r12, 65535;", "shr.u32 %r9, %r12, 16;"},
    {"two_floats_to_bytes",
     "mov.b32 %f1, %r2; mov.b32 %f2, %r4; cvt.rn.satfinite.e4m3x2.f32 %rs5, %f2, %f1; cvt.u32.u16 %r12, %rs5;",
     "and.b32 %r9, %r12, 0xff00;", "and.b32 %r9, %r12, 0xff;"},
    {"halves_to_bytes", "cvt.rn.satfinite.e5m2x2.f16x2 %rs5, %r11; cvt.u32.u16 %r12, %rs5;", "shr.u32 %r9, %r12, 8;",
     "bfe.u32 %r9, %r12, 0, 8;"},
    {"bytes_to_halves",
     "and.b16 %rs5, %rs1, 0xff; shl.b16 %rs6, %rs3, 8; or.b16 %rs5, %rs5, %rs6; cvt.rn.f16x2.e4m3x2 %r12, %rs5;",
     "mov.b32 {%rs7, %rs8}, %r12; cvt.u32.u16 %r9, %rs8;", "mov.b32 {%rs7, %rs8}, %r12; cvt.u32.u16 %r9, %rs7;"},
    {"cut_to_16_bits", "", "shr.u32 %r12, %r11, 1; cvt.u16.u32 %rs5, %r12; cvt.u32.u16 %r9, %rs5;",
     "cvt.u16.u32 %rs5, %r11; cvt.u32.u16 %r9, %rs5;"},
    {"extended_by_the_sign", "", "shr.u32 %r12, %r11, 12; cvt.s32.s8 %r9, %r12;",
     "shr.u32 %r12, %r11, 7; cvt.s32.s8 %r9, %r12;"},
    {"product_of_24_bits", "", "bfi.b32 %r12, 5, %r11, 16, 7; mul24.lo.u32 %r9, %r12, 3;",
     "bfi.b32 %r12, 5, %r11, 16, 8; mul24.lo.u32 %r9, %r12, 3;"},
    {"signed_product_of_24_bits_and_a_sum", "", "bfi.b32 %r12, 5, %r11, 17, 7; mad24.lo.s32 %r9, %r2, %r12, 9;",
     "bfi.b32 %r12, 5, %r11, 16, 8; mad24.lo.s32 %r9, %r2, %r12, 9;"},
    {"absolute_of_a_known_sign", "and.b32 %r12, %r11, 0x7fffffff; abs.s32 %r13, %r12;", "and.b32 %r9, %r13, 0x1ffff;",
     "and.b32 %r9, %r13, 0xffff;"},
    {"masked", "", "and.b32 %r9, %r11, 0x10000;", "and.b32 %r9, %r11, 0xffff;"},
    {"shifted_and_masked", "shr.u32 %r12, %r11, 4;", "and.b32 %r9, %r12, 0x1fff;", "and.b32 %r9, %r12, 0x0fff;"},
    {"shifted_out", "", "shl.b32 %r9, %r11, 15;", "shl.b32 %r9, %r11, 16;"},
    {"shifted_by_the_sign", "shl.b32 %r12, %r11, 16;", "shr.s32 %r9, %r11, 24;", "shr.s32 %r9, %r12, 24;"},
    {"rotated", "shf.l.wrap.b32 %r12, %r11, %r11, 8;", "and.b32 %r9, %r12, 0xff;", "and.b32 %r9, %r12, 0xffff00;"},
    {"reversed", "brev.b32 %r12, %r11;", "and.b32 %r9, %r12, 0x18000;", "and.b32 %r9, %r12, 0xffff0000;"},
    {"field_taken", "", "bfe.u32 %r9, %r11, 4, 13;", "bfe.u32 %r9, %r11, 4, 12;"},
    {"signed_field_taken", "", "bfe.s32 %r9, %r11, 15, 2;", "bfe.s32 %r9, %r11, 14, 2;"},
    {"field_put", "", "bfi.b32 %r9, %r2, %r11, 16, 15;", "bfi.b32 %r9, %r2, %r11, 16, 16;"},
    {"logic_of_three", "", "lop3.b32 %r9, %r11, %r2, 0xffff, 0x96;", "lop3.b32 %r9, %r11, 0xffff, %r2, 0xc0;"},
    {"ones_put_over_it", "", "or.b32 %r9, %r11, 0xfffe0000;", "or.b32 %r9, %r11, 0xffff0000;"},
    {"xor_with_itself", "", "xor.b32 %r9, %r4, %r5;", "xor.b32 %r9, %r4, %r4;"},
    {"chosen", "", "selp.b32 %r9, %r2, %r4, %p1;", "selp.b32 %r9, %r4, %r2, %p1;"},
    {"chosen_of_equals", "and.b32 %r12, %r2, 0xff; or.b32 %r13, %r12, 0x100;", "selp.b32 %r9, %r12, %r13, %p2;",
     "selp.b32 %r14, %r12, %r13, %p2; and.b32 %r9, %r14, 0xff;"},
    {"chosen_by_the_sign", "or.b32 %r12, %r4, 0x80000000;", "slct.b32.s32 %r9, %r2, %r3, %r4;",
     "slct.b32.s32 %r9, %r2, %r3, %r12;"},
    {"sum_carries_up", "shl.b32 %r12, %r4, 8; add.s32 %r13, %r12, %r2;", "and.b32 %r9, %r13, 0x1ff;",
     "and.b32 %r9, %r13, 0xff;"},
    {"sum_that_cannot_carry", "and.b32 %r12, %r4, 0xf; and.b32 %r13, %r2, 0xffff00e0;",
     "add.s32 %r14, %r12, %r13; shr.u32 %r9, %r14, 3;", "add.s32 %r14, %r12, %r13; shr.u32 %r9, %r14, 4;"},
    {"difference", "shl.b32 %r12, %r4, 16; sub.s32 %r13, %r2, %r12;", "shr.u32 %r9, %r13, 8;",
     "cvt.u32.u16 %r9, %rs5; cvt.u16.u32 %rs5, %r13; cvt.u32.u16 %r9, %rs5;"},
    {"carry_flag", "and.b32 %r12, %r4, 0xff; and.b32 %r13, %r2, 0xff;",
     "add.cc.u32 %r14, %r4, %r2; addc.u32 %r9, %r2, 0;", "add.cc.u32 %r14, %r12, %r13; addc.u32 %r9, %r2, 0;"},
    {"times_zero", "and.b32 %r12, %r2, 0;", "mul.lo.s32 %r9, %r4, 2;", "mad.lo.s32 %r9, %r4, %r12, %r3;"},
    {"times_a_power_of_two", "mul.lo.s32 %r12, %r4, 768;", "and.b32 %r9, %r12, 0x1ff;", "and.b32 %r9, %r12, 0xff;"},
    {"wide_product_of_the_good_half", "mov.b32 {%rs5, %rs6}, %r11;", "mul.wide.u16 %r9, %rs6, 3;",
     "mul.wide.u16 %r9, %rs5, 3;"},
    {"high_product_of_a_small_number", "and.b32 %r12, %r4, 0xff;", "mul.hi.u32 %r9, %r12, 0x80000000;",
     "mul.hi.u32 %r9, %r12, 256;"},
    {"remainder", "", "rem.u32 %r9, %r11, 0x20000;", "rem.u32 %r9, %r11, 0x10000;"},
    {"quotient", "and.b32 %r12, %r4, 0xff; or.b32 %r12, %r12, 0x400;", "div.u32 %r9, %r12, 0x80;",
     "div.u32 %r9, %r12, 0x100;"},
    {"smallest", "or.b32 %r12, %r4, 0x1000;", "min.u32 %r9, %r12, 0x2000;", "min.u32 %r9, %r12, 0xfff;"},
    {"largest_signed", "or.b32 %r12, %r4, 0x80000000;", "max.s32 %r9, %r4, 5;", "max.s32 %r9, %r12, 5;"},
    {"counted", "and.b32 %r12, %r4, 7; popc.b32 %r13, %r12;", "setp.gt.u32 %p3, %r13, 2; selp.u32 %r9, 1, 2, %p3;",
     "setp.gt.u32 %p3, %r13, 3; selp.u32 %r9, 1, 2, %p3;"},
    {"leading_zeros", "or.b32 %r12, %r4, 0x10000000; and.b32 %r12, %r12, 0x3fffffff;", "clz.b32 %r9, %r12;",
     "and.b32 %r12, %r12, 0x1fffffff; clz.b32 %r9, %r12;"},
    {"compared_in_range", "and.b32 %r12, %r4, 0xff;", "setp.lt.u32 %p3, %r12, 255; selp.u32 %r9, 1, 2, %p3;",
     "setp.lt.u32 %p3, %r12, 256; selp.u32 %r9, 1, 2, %p3;"},
    {"compared_by_known_bits", "or.b32 %r12, %r4, 1;", "setp.eq.s32 %p3, %r12, 3; selp.u32 %r9, 1, 2, %p3;",
     "setp.eq.s32 %p3, %r12, 2; selp.u32 %r9, 1, 2, %p3;"},
    {"predicates_joined", "", "or.pred %p3, %p1, %p2; selp.u32 %r9, 1, 2, %p3;",
     "and.pred %p3, %p1, %p2; selp.u32 %r9, 1, 2, %p3;"},
    {"halves_compared", "setp.lt.f16x2 %p3|%p4, %r11, %r2;", "selp.u32 %r9, 1, 2, %p4;", "selp.u32 %r9, 1, 2, %p3;"},
    {"halves_set", "set.lt.f16x2.f16x2 %r12, %r11, %r2;", "mov.u32 %r9, %r12;", "and.b32 %r9, %r12, 0xffff;"},
    {"dot_product_with_zeros", "or.b32 %r12, %r2, 0x01010101;", "dp4a.u32.u32 %r9, %r11, %r12, %r3;",
     "and.b32 %r12, %r2, 0xffff; dp4a.u32.u32 %r9, %r11, %r12, %r3;"},
    {"taken_from_another_lane", "shfl.sync.bfly.b32 %r12, %r11, 1, 31, -1;", "shr.u32 %r9, %r12, 16;",
     "and.b32 %r9, %r12, 0xffff;"},
    {"lane_that_is_not_known", "and.b32 %r12, %r4, 3;", "shfl.sync.idx.b32 %r9, %r2, %r12, 31, -1;",
     "and.b32 %r12, %r12, 0; shfl.sync.idx.b32 %r9, %r2, %r12, 31, -1;"},
    {"some_lane_holds",
     "setp.eq.u32 %p3, %r1, 3; setp.eq.u32 %p4, %r1, 35; or.pred %p3, %p3, %p4; or.pred %p4, %p3, %p2;",
     "vote.sync.any.pred %p5, %p2, -1; selp.u32 %r9, 1, 2, %p5;",
     "vote.sync.any.pred %p5, %p4, -1; selp.u32 %r9, 1, 2, %p5;"},
    {"ballot",
     "setp.lt.u32 %p3, %r2, 12345; and.b32 %r12, %r1, 31; setp.lt.u32 %p4, %r12, 16; @%p4 setp.lt.u32 %p3, %r4, 12345;",
     "vote.sync.ballot.b32 %r9, %p3, -1;", "vote.sync.ballot.b32 %r13, %p3, -1; and.b32 %r9, %r13, 0xffff0000;"},
    {"reduced_over_lanes", "redux.sync.or.b32 %r12, %r11, -1;", "mov.u32 %r9, %r12;", "and.b32 %r9, %r12, 0xffff;"},
    {"part_of_local_memory", "st.local.u32 [own], %r11; st.local.u32 [own+4], %r2;", "ld.local.u32 %r9, [own];",
     "ld.local.u16 %rs5, [own]; cvt.u32.u16 %r9, %rs5;"},
    {"bits_of_local_memory", "shl.b32 %r12, %r4, 4; st.local.u8 [own], %r12;",
     "ld.local.u8 %r13, [own]; and.b32 %r9, %r13, 0x1f;", "ld.local.u8 %r13, [own]; and.b32 %r9, %r13, 0x0f;"},
    {"part_of_shared_memory",
     "mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 4, %r12; st.shared.u32 [%r12], %r11; bar.sync 0; xor.b32 %r13, %r1, "
     "33; mov.u32 %r14, tile; mad.lo.u32 %r14, %r13, 4, %r14;",
     "ld.shared.u16 %rs5, [%r14+2]; cvt.u32.u16 %r9, %rs5;", "ld.shared.u16 %rs5, [%r14]; cvt.u32.u16 %r9, %rs5;"},
    {"part_of_an_asynchronous_copy",
     "st.global.u64 [%rd8], %rd2; mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 16, %r12; cp.async.ca.shared.global "
     "[%r12], [%rd8], 16; cp.async.wait_all;",
     "ld.shared.u32 %r9, [%r12+8];", "ld.shared.u32 %r9, [%r12+4];"},
    {"bytes_asked_for_by_a_copy",
     "mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 16, %r12; mov.u32 %r13, 8; and.b32 %r14, %r4, 8;",
     "cp.async.ca.shared.global [%r12], [%rd7], 8, %r14; cp.async.wait_all;",
     "cp.async.ca.shared.global [%r12], [%rd7], 8, %r13; cp.async.wait_all;"},
    {"element_of_a_matrix",
     "mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 16, %r12; st.shared.v4.u32 [%r12], {%r11, %r11, %r11, %r11}; bar.sync "
     "0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r13}, [%r12];",
     "mov.u32 %r9, %r13;", "and.b32 %r9, %r13, 0xffff;"},
    {"element_of_a_transposed_matrix",
     "movmatrix.sync.aligned.m8n8.trans.b16 %r13, %r11; and.b32 %r14, %r1, 4; setp.eq.u32 %p3, %r14, 0;",
     "selp.b32 %r9, 0, %r13, %p3;", "selp.b32 %r9, %r13, 0, %p3;"},
    {"part_of_a_stored_matrix",
     "mov.u32 %r12, tile; mad.lo.u32 %r13, %r1, 16, %r12; and.b32 %r14, %r1, 31; setp.lt.u32 %p3, %r1, 32; mov.u32 "
     "%r15, %r2; @%p3 mov.u32 %r15, %r11; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r13], {%r15}; bar.sync 0;",
     "ld.shared.u16 %rs5, [tile+2]; cvt.u32.u16 %r9, %rs5;", "ld.shared.u16 %rs5, [tile+4]; cvt.u32.u16 %r9, %rs5;"},
    {"row_of_a_product",
     "and.b32 %r12, %r1, 16; setp.eq.u32 %p3, %r12, 0; selp.b32 %r13, 0, %r4, %p3; mov.f32 %f1, 0f00000000; mov.u32 "
     "%r14, 0x3c003c00; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r13, %r14, %r14, "
     "%r14}, {%r14, %r14}, {%f1, %f1, %f1, %f1};",
     "mov.b32 %r9, %f2;", "mov.b32 %r9, %f4;"},
    {"column_of_a_product",
     "and.b32 %r12, %r1, 31; setp.lt.u32 %p3, %r12, 16; selp.b32 %r13, 0, %r4, %p3; mov.f32 %f1, 0f00000000; mov.u32 "
     "%r14, 0x3c003c00; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r14, %r14}, {%r13}, "
     "{%f1, %f1, %f1, %f1}; and.b32 %r15, %r1, 2; setp.eq.u32 %p4, %r15, 0; mov.b32 %r16, %f2;",
     "selp.b32 %r9, 0, %r16, %p4;", "selp.b32 %r9, %r16, 0, %p4;"},
    {"half_of_an_accumulator",
     "mov.u32 %r14, 0x3c003c00; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r15, %r16}, {%r14, %r14}, {%r14}, "
     "{%r11, %r14};",
     "mov.u32 %r9, %r15;", "and.b32 %r9, %r15, 0xffff;"},
    {"low_bits_of_tf32",
     "and.b32 %r12, %r4, 0x1fff; or.b32 %r13, %r12, 0x3f800000; mov.f32 %f1, 0f00000000; mov.u32 %r14, 0x3f800000;",
     "shl.b32 %r12, %r12, 1; or.b32 %r13, %r13, %r12; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f2, %f3, "
     "%f4, %f5}, {%r13, %r13}, {%r14}, {%f1, %f1, %f1, %f1}; mov.b32 %r9, %f2;",
     "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f2, %f3, %f4, %f5}, {%r13, %r13}, {%r14}, {%f1, %f1, %f1, "
     "%f1}; mov.b32 %r9, %f2;"},
    {"address", "mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 8, %r12; st.shared.v2.u32 [%r12], {%r2, %r3};",
     "and.b32 %r13, %r4, 4; add.u32 %r13, %r13, %r12; ld.shared.u32 %r9, [%r13];",
     "and.b32 %r13, %r4, 4; and.b32 %r13, %r13, 3; add.u32 %r13, %r13, %r12; ld.shared.u32 %r9, [%r13];"},
    {"atomic_operand", "", "red.global.add.u32 [%rd7], %r11;",
     "and.b32 %r12, %r11, 0xffff; red.global.add.u32 [%rd7], %r12;"},
    {"exchanged",
     "mov.u32 %r12, tile; mad.lo.u32 %r12, %r1, 4, %r12; atom.shared.exch.b32 %r13, [%r12], %r2; "
     "ld.shared.u32 %r14, [%r12];",
     "mov.u32 %r9, %r13;", "mov.u32 %r9, %r14;"},
    {"exchanged_against_it", "", "atom.global.exch.b32 %r9, [%rd7], %r4;", "atom.global.exch.b32 %r9, [%rd7], %r2;"},
    {"branch_on_a_register",
     "mov.u32 %r12, %r2; setp.lt.u32 %p3, %r50, 200; @%p3 bra done; add.u32 %r12, %r12, 1;\ndone:",
     "mov.u32 %r9, %r12;", "mov.u32 %r9, %r3;"},
    {"branch_with_an_effect", "and.b32 %r12, %r4, 0xff;",
     "setp.lt.u32 %p3, %r12, 200; @%p3 bra done; st.global.u32 [%rd7], %r2;\ndone:",
     "setp.lt.u32 %p3, %r12, 256; @%p3 bra done; st.global.u32 [%rd7], %r2;\ndone:"},
    {"branch_that_only_computes", "mov.u32 %r12, %r2; mov.u32 %r13, %r3; @%p2 bra done; add.u32 %r12, %r12, 1;\ndone:",
     "mov.u32 %r9, %r12;", "mov.u32 %r9, %r13;"},
    {"guarded_load", "mov.u32 %r12, 7; @%p2 ld.global.u32 %r12, [%rd7];", "mov.u32 %r9, %r12;", "mov.u32 %r9, %r2;"},
    {"guarded_store", "mov.u32 %r12, 7;", "@%p2 st.global.u32 [%rd7], %r12;", "@%p1 st.global.u32 [%rd7], %r12;"},
    {"stored_bytes", "", "st.global.u32 [%rd7], %r11;", "st.global.u16 [%rd7], %r11;"},
    {"stored_vector", "", "st.global.v2.u16 [%rd7], {%rs1, %rs3};", "st.global.v2.u16 [%rd7], {%rs1, %rs2};"},
    {"stored_where_nobody_reads", "", "st.global.u32 [%rd1], %r11; mov.u32 %r9, %r11;", "st.global.u32 [%rd9], %r11;"},
    {"stored_and_read_again", "st.global.v2.u32 [%rd9], {%r11, %r4};", "ld.global.u32 %r9, [%rd9];",
     "ld.global.u16 %rs5, [%rd9]; cvt.u32.u16 %r9, %rs5;"},
    {"half_of_a_register", "mov.b32 %r12, {%rs1, %rs39};", "mov.u32 %r9, %r12;", "and.b32 %r9, %r12, 0xffff;"},
    {"half_that_was_not_loaded",
     "setp.lt.u32 %p3, %r1, 60; @%p3 ld.global.u16 %rs38, [%rd7]; mov.b32 %r12, {%rs38, %rs2};",
     "selp.b32 %r9, 0, %r12, %p3;",
     "mov.b32 {%rs5, %rs6}, %r12; selp.b16 %rs5, %rs5, %rs1, %p3; mov.b32 %r9, {%rs5, %rs6};"},
    {"half_as_a_float", "mov.b32 %r12, {%rs3, %rs1};",
     "shl.b32 %r12, %r12, 1; and.b32 %r12, %r12, 0xffff0000; mov.b32 %f1, %r12; add.f32 %f1, %f1, 0f3f800000; mov.b32 "
     "%r9, %f1;",
     "and.b32 %r12, %r12, 0xffff0000; mov.b32 %f1, %r12; add.f32 %f1, %f1, 0f3f800000; mov.b32 %r9, %f1;"},
    {"packed_saturated", "cvt.pack.sat.u16.s32 %r12, %r4, %r2;", "mov.u32 %r9, %r12;", "and.b32 %r9, %r12, 0xffff;"},
    {"video_of_a_byte", "", "vadd.u32.u32.u32 %r9, %r11.b2, %r2;", "vadd.u32.u32.u32 %r9, %r11.b1, %r2;"},
};

class UnwrittenValues : public testing::TestWithParam<Pair> {};

TEST_P(UnwrittenValues, matter_where_they_reach_something) {
  const Pair& pair = GetParam();
  const std::string start = std::string(half) + pair.start + "\n";
  const std::string found = findings_of(value_launch(start + pair.faulty));
  EXPECT_NE(found.find("uninitialized-read"), std::string::npos) << found;
  EXPECT_EQ(findings_of(value_launch(start + pair.correct)), "");
}

INSTANTIATE_TEST_SUITE_P(Machine, UnwrittenValues, testing::ValuesIn(pairs),
                         [](const auto& info) { return info.param.name; });

// Without a ret, the label that a branch leads to stands past the end of the instructions.
TEST(UnwrittenBranches, may_lead_past_the_end) {
  const auto found = [](const std::string& branch) {
    std::string text = value_kernel(std::string(half) + "mov.u32 %r9, %r2; " + branch);
    text.replace(text.rfind("ret;"), 4, "past:");
    Launch launch = value_launch("");
    launch.module = std::make_shared<ptx::Module>(ptx::read_module(text, "tried.ptx"));
    return findings_of(launch);
  };
  EXPECT_NE(found("@%p2 bra past;").find("uninitialized-read"), std::string::npos);
  EXPECT_EQ(found("@%p1 bra past;"), "");
}

// Only the read that matters is named: that of %r5 with its bytes 2 and 3 is not.
TEST(UnwrittenSources, are_those_of_the_bytes_that_matter) {
  const std::string start = R"(
  ld.global.u16 %rs10, [%rd5+2];
  ld.global.u16 %rs11, [%rd5+6];
  mov.b32 %r20, {%rs10, %rs11};
)";
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const std::string low = findings_of(value_launch(start + "and.b32 %r9, %r20, 0xffff;")),
                    high = findings_of(value_launch(start + "shr.u32 %r9, %r20, 16;")),
                    both = findings_of(value_launch(start + "mov.u32 %r9, %r20;"));
  EXPECT_EQ(lines(low), 1) << low;
  EXPECT_EQ(lines(high), 1) << high;
  EXPECT_EQ(lines(both), 2) << both;
  EXPECT_EQ(both, low + high);
}

}  // namespace
}  // namespace ropewalk
