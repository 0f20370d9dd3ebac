#include "lib/generate/random_forms.h"

namespace ropewalk {

namespace {

constexpr RandomForm of_lanes[] = {
    // Integers.
    {"add.s32", "rrr"}, {"add.u32", "rrr"}, {"sub.s32", "rrr"}, {"mul.lo.s32", "rrr"}, {"mul.hi.s32", "rrr"},
    {"mul.hi.u32", "rrr"}, {"mad.lo.s32", "rrrr"}, {"mad.hi.u32", "rrrr"}, {"mul24.lo.s32", "rrr"}, {"min.s32", "rrr"},
    {"max.s32", "rrr"}, {"min.u32", "rrr"}, {"max.u32", "rrr"}, {"abs.s32", "rr"}, {"neg.s32", "rr"},
    {"sad.s32", "rrrr"}, {"sad.u32", "rrrr"}, {"add.s64", "qqq"}, {"sub.s64", "qqq"}, {"mul.lo.s64", "qqq"},
    {"mul.hi.s64", "qqq"}, {"mul.hi.u64", "qqq"}, {"mul.wide.s32", "qrr"}, {"mul.wide.u32", "qrr"},
    {"mad.lo.s64", "qqqq"}, {"mad.wide.s32", "qrrq"}, {"mad.wide.u32", "qrrq"}, {"min.s64", "qqq"}, {"max.s64", "qqq"},
    {"min.u64", "qqq"}, {"max.u64", "qqq"}, {"abs.s64", "qq"}, {"neg.s64", "qq"}, {"add.s16", "hhh"},
    {"sub.s16", "hhh"}, {"mul.lo.s16", "hhh"}, {"mul.hi.u16", "hhh"}, {"mul.wide.s16", "rhh"}, {"mad.lo.u16", "hhhh"},
    {"min.s16", "hhh"}, {"max.u16", "hhh"}, {"dp4a.u32.u32", "rrrr"}, {"dp4a.s32.s32", "rrrr"},
    {"dp2a.lo.u32.u32", "rrrr"},
    // Bits.
    {"and.b32", "rrr"}, {"or.b32", "rrr"}, {"xor.b32", "rrr"}, {"not.b32", "rr"}, {"cnot.b32", "rr"},
    {"and.b64", "qqq"}, {"or.b64", "qqq"}, {"xor.b64", "qqq"}, {"not.b64", "qq"}, {"and.b16", "hhh"},
    {"xor.b16", "hhh"}, {"shl.b32", "rrr"}, {"shr.s32", "rrr"}, {"shr.u32", "rrr"}, {"shl.b64", "qqr"},
    {"shr.s64", "qqr"}, {"shr.u64", "qqr"}, {"shl.b32", "rr5"}, {"shr.u32", "rr5"}, {"shl.b64", "qq6"},
    {"shr.s16", "hhr"}, {"shf.l.wrap.b32", "rrrr"}, {"shf.r.clamp.b32", "rrrr"}, {"popc.b32", "rr"},
    {"popc.b64", "rq"}, {"clz.b32", "rr"}, {"clz.b64", "rq"}, {"brev.b32", "rr"}, {"brev.b64", "qq"},
    {"bfind.u32", "rr"}, {"bfind.s32", "rr"}, {"bfind.u64", "rq"}, {"bfe.u32", "rr55"}, {"bfe.s32", "rr55"},
    {"bfe.u64", "qq55"}, {"bfi.b32", "rrr55"}, {"bfi.b64", "qqq55"}, {"prmt.b32", "rrrr"}, {"lop3.b32", "rrrr8"},
    // Floats that IEEE 754 defines.
    {"add.rn.f32", "fff"}, {"add.rz.f32", "fff"}, {"add.rm.f32", "fff"}, {"add.rp.f32", "fff"},
    {"add.rn.ftz.f32", "fff"}, {"sub.rn.f32", "fff"}, {"sub.rn.sat.f32", "fff"}, {"mul.rn.f32", "fff"},
    {"mul.rz.f32", "fff"}, {"mul.rp.ftz.f32", "fff"}, {"fma.rn.f32", "ffff"}, {"fma.rz.f32", "ffff"},
    {"fma.rn.ftz.f32", "ffff"}, {"fma.rn.sat.f32", "ffff"}, {"div.rn.f32", "fff"}, {"sqrt.rn.f32", "ff"},
    {"rcp.rn.f32", "ff"}, {"min.f32", "fff"}, {"max.f32", "fff"}, {"abs.f32", "ff"}, {"neg.f32", "ff"},
    {"copysign.f32", "fff"}, {"add.rn.f64", "ddd"}, {"add.rz.f64", "ddd"}, {"sub.rn.f64", "ddd"},
    {"mul.rn.f64", "ddd"}, {"fma.rn.f64", "dddd"}, {"fma.rm.f64", "dddd"}, {"div.rn.f64", "ddd"},
    {"sqrt.rn.f64", "dd"}, {"min.f64", "ddd"}, {"max.f64", "ddd"}, {"abs.f64", "dd"}, {"neg.f64", "dd"},
    {"add.rn.f16", "hhh"}, {"sub.rn.f16", "hhh"}, {"mul.rn.f16", "hhh"}, {"fma.rn.f16", "hhhh"}, {"min.f16", "hhh"},
    {"max.f16", "hhh"}, {"fma.rn.bf16", "hhhh"}, {"add.rn.f16x2", "rrr"}, {"mul.rn.f16x2", "rrr"},
    {"fma.rn.f16x2", "rrrr"}, {"fma.rn.bf16x2", "rrrr"},
    // From one type to another.
    {"cvt.s64.s32", "qr"}, {"cvt.u64.u32", "qr"}, {"cvt.u32.u64", "rq"}, {"cvt.s32.s64", "rq"}, {"cvt.u32.u16", "rh"},
    {"cvt.s32.s16", "rh"}, {"cvt.u16.u32", "hr"}, {"cvt.sat.s16.s32", "hr"}, {"cvt.s32.s8", "rr"}, {"cvt.u32.u8", "rr"},
    {"cvt.rn.f32.s32", "fr"}, {"cvt.rn.f32.u32", "fr"}, {"cvt.rz.f32.s64", "fq"}, {"cvt.rn.f64.s32", "dr"},
    {"cvt.rn.f64.u64", "dq"}, {"cvt.rzi.s32.f32", "rf"}, {"cvt.rni.u32.f32", "rf"}, {"cvt.rmi.s64.f32", "qf"},
    {"cvt.rzi.s64.f64", "qd"}, {"cvt.rpi.u32.f64", "rd"}, {"cvt.rn.f32.f64", "fd"}, {"cvt.f64.f32", "df"},
    {"cvt.rn.f16.f32", "hf"}, {"cvt.f32.f16", "fh"}, {"cvt.rn.bf16.f32", "hf"}, {"cvt.rmi.f32.f32", "ff"},
    {"cvt.rni.f64.f64", "dd"}, {"cvt.rn.f16x2.f32", "rff"}, {"mov.b32", "rf"}, {"mov.b32", "fr"}, {"mov.b64", "qd"},
    // Comparisons and choices.
    {"setp.lt.s32", "prr"}, {"setp.ge.u32", "prr"}, {"setp.eq.s64", "pqq"}, {"setp.hi.u64", "pqq"},
    {"setp.ne.s16", "phh"}, {"setp.lt.f32", "pff"}, {"setp.geu.f32", "pff"}, {"setp.nan.f32", "pff"},
    {"setp.gt.f64", "pdd"}, {"setp.num.f64", "pdd"}, {"setp.lt.f16", "phh"}, {"setp.lt.and.s32", "prrp"},
    {"setp.ge.or.f32", "pffp"}, {"setp.ne.xor.u32", "prrp"}, {"set.lt.u32.s32", "rrr"}, {"set.gt.f32.f32", "fff"},
    {"and.pred", "ppp"}, {"or.pred", "ppp"}, {"xor.pred", "ppp"}, {"not.pred", "pp"}, {"selp.b32", "rrrp"},
    {"selp.b64", "qqqp"}, {"selp.f32", "fffp"}, {"selp.f64", "dddp"}, {"selp.b16", "hhhp"}, {"slct.s32.s32", "rrrr"},
    {"slct.f32.s32", "fffr"}, {"testp.finite.f32", "pf"}, {"testp.notanumber.f64", "pd"},
};

// The mask of a full warp is added where it is needed.
constexpr RandomForm of_warps[] = {
    {"shfl.sync.bfly.b32", "rr5c"}, {"shfl.sync.idx.b32", "rr5c"}, {"shfl.sync.up.b32", "rr3z"},
    {"shfl.sync.down.b32", "rr3c"}, {"vote.sync.ballot.b32", "rp"}, {"vote.sync.any.pred", "pp"},
    {"vote.sync.all.pred", "pp"}, {"redux.sync.add.s32", "rr"}, {"redux.sync.max.u32", "rr"}, {"redux.sync.xor.b32", "rr"},
    {"match.any.sync.b32", "rr"},
};

}  // namespace

std::span<const RandomForm> lane_forms() { return of_lanes; }
std::span<const RandomForm> warp_forms() { return of_warps; }

}  // namespace ropewalk
