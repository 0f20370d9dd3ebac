#include "lib/ptx/instrument_helpers.h"

namespace ropewalk::ptx {

namespace {

// Three loads, an atomic and three stores. The count of a site goes on for ever; the total stops near the capacity, so
// that it cannot wrap.
constexpr const char* record_text = R"(
.func ropewalk_record(.param .b64 address, .param .b64 offset, .param .b32 site, .param .b32 range)
{
	.reg .pred %full;
	.reg .b32 %site, %range, %capacity, %number, %first, %x, %y, %z;
	.reg .b64 %address, %offset, %records, %at, %one;
	ld.param.b64 %address, [address];
	ld.param.b64 %offset, [offset];
	ld.param.b32 %site, [site];
	ld.param.b32 %range, [range];
	ld.const.b64 %records, [ropewalk_table];
	ld.const.b32 %capacity, [ropewalk_table+8];
	ld.const.b32 %first, [ropewalk_table+20];
	mad.wide.u32 %at, %site, 8, %records;
	mov.b64 %one, 1;
	red.global.add.u64 [%at+16], %one;
	ld.volatile.global.u32 %number, [%records];
	setp.ge.u32 %full, %number, %capacity;
	@%full bra DONE;
	atom.global.add.u32 %number, [%records], 1;
	setp.ge.u32 %full, %number, %capacity;
	@%full bra DONE;
	mad.wide.u32 %at, %number, 48, %records;
	cvt.u64.u32 %records, %first;
	add.s64 %at, %at, %records;
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ctaid.y;
	mov.u32 %z, %ctaid.z;
	st.global.v4.b32 [%at], {%x, %y, %z, %site};
	mov.u32 %x, %tid.x;
	mov.u32 %y, %tid.y;
	mov.u32 %z, %tid.z;
	st.global.v4.b32 [%at+16], {%x, %y, %z, %range};
	st.global.v2.b64 [%at+32], {%offset, %address};
DONE:
	ret;
}
)";

// Finds the range (given, or the nearest one), then asks for bounds, alignment and the bitmap, in this order.
constexpr const char* judge_text = R"(
.func (.param .b32 skip) ropewalk_judge(.param .b64 address, .param .b32 site, .param .b32 range, .param .b32 bytes,
	.param .b32 mask)
{
	.reg .pred %p, %before, %any;
	.reg .b32 %site, %next, %last, %bytes, %mask, %skip, %best, %count, %bits, %shift;
	.reg .b64 %address, %at, %base, %extent, %allowed, %offset, %distance, %wide, %table;
	.reg .b64 %nearest, %best_offset, %best_extent, %best_allowed;
	ld.param.b64 %address, [address];
	ld.param.b32 %site, [site];
	ld.param.b32 %next, [range];
	ld.param.b32 %bytes, [bytes];
	ld.param.b32 %mask, [mask];
	mov.b32 %skip, 1;
	mov.b32 %best, -1;
	mov.b64 %best_offset, %address;
	mov.b64 %best_extent, 0;
	mov.b64 %best_allowed, 0;
	mov.b64 %nearest, -1;
	mov.u64 %table, ropewalk_table;
	ld.const.b32 %count, [ropewalk_table+12];
	setp.eq.s32 %any, %next, -1;
	add.s32 %last, %next, 1;
	selp.b32 %last, %count, %last, %any;
	selp.b32 %next, 0, %next, %any;
NEXT_RANGE:
	setp.ge.u32 %p, %next, %last;
	@%p bra FOUND;
	mad.wide.u32 %at, %next, 32, %table;
	ld.const.v2.b64 {%base, %extent}, [%at+32];
	ld.const.b64 %allowed, [%at+48];
	sub.s64 %offset, %address, %base;
	setp.lt.s64 %before, %offset, 0;
	neg.s64 %wide, %offset;
	sub.s64 %distance, %offset, %extent;
	add.s64 %distance, %distance, 1;
	max.s64 %distance, %distance, 0;
	selp.b64 %distance, %wide, %distance, %before;
	setp.ge.u64 %p, %distance, %nearest;
	@%p bra GO_ON;
	mov.b64 %nearest, %distance;
	mov.b32 %best, %next;
	mov.b64 %best_offset, %offset;
	mov.b64 %best_extent, %extent;
	mov.b64 %best_allowed, %allowed;
GO_ON:
	add.s32 %next, %next, 1;
	bra NEXT_RANGE;
FOUND:
	setp.eq.s32 %p, %best, -1;
	@%p bra BAD;
	cvt.u64.u32 %wide, %bytes;
	setp.lt.u64 %p, %best_extent, %wide;
	@%p bra BAD;
	sub.s64 %wide, %best_extent, %wide;
	setp.gt.u64 %p, %best_offset, %wide;
	@%p bra BAD;
	cvt.u32.u64 %bits, %address;
	and.b32 %bits, %bits, %mask;
	setp.ne.s32 %p, %bits, 0;
	@%p bra BAD;
	mov.b32 %skip, 0;
	setp.eq.s64 %p, %best_allowed, 0;
	@%p bra GOOD;
	mov.b64 %offset, %best_offset;
NEXT_BYTE:
	setp.eq.s32 %p, %bytes, 0;
	@%p bra GOOD;
	shr.u64 %at, %offset, 3;
	add.s64 %at, %at, %best_allowed;
	ld.global.u8 %bits, [%at];
	cvt.u32.u64 %shift, %offset;
	and.b32 %shift, %shift, 7;
	shr.u32 %bits, %bits, %shift;
	and.b32 %bits, %bits, 1;
	setp.eq.s32 %p, %bits, 0;
	@%p bra BAD;
	add.s64 %offset, %offset, 1;
	sub.s32 %bytes, %bytes, 1;
	bra NEXT_BYTE;
BAD:
	{
	.param .b64 bad_address;
	.param .b64 bad_offset;
	.param .b32 bad_site;
	.param .b32 bad_range;
	st.param.b64 [bad_address], %address;
	st.param.b64 [bad_offset], %best_offset;
	st.param.b32 [bad_site], %site;
	st.param.b32 [bad_range], %best;
	call.uni ropewalk_record, (bad_address, bad_offset, bad_site, bad_range);
	}
GOOD:
	st.param.b32 [skip], %skip;
	ret;
}
)";

}  // namespace

std::string instrument_helpers(u32 table_bytes) {
  return ".const .align 16 .b8 ropewalk_table[" + std::to_string(table_bytes) + "];\n" + record_text + judge_text;
}

}  // namespace ropewalk::ptx
