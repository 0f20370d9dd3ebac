// selp slct testp, and logic on predicates.
#include "lib/machine/arithmetic/compare.h"
#include "lib/machine/arithmetic/logic.h"
#include "lib/machine/handlers/entry.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using namespace arithmetic;

// A choice in every type: only its width matters.
#define RW_ALL_TYPES(stem, suffix, ...)                                                             \
  RW_FORM(stem ".b16" suffix, __VA_ARGS__(u16)), RW_FORM(stem ".u16" suffix, __VA_ARGS__(u16)),     \
      RW_FORM(stem ".s16" suffix, __VA_ARGS__(u16)), RW_FORM(stem ".b32" suffix, __VA_ARGS__(u32)), \
      RW_FORM(stem ".u32" suffix, __VA_ARGS__(u32)), RW_FORM(stem ".s32" suffix, __VA_ARGS__(u32)), \
      RW_FORM(stem ".f32" suffix, __VA_ARGS__(u32)), RW_FORM(stem ".b64" suffix, __VA_ARGS__(u64)), \
      RW_FORM(stem ".u64" suffix, __VA_ARGS__(u64)), RW_FORM(stem ".s64" suffix, __VA_ARGS__(u64)), \
      RW_FORM(stem ".f64" suffix, __VA_ARGS__(u64))
#define RW_SELP(U) Selp<U>
#define RW_SLCT_S32(U) SlctS32<U>
#define RW_SLCT_F32(U) SlctF32<U, false>
#define RW_SLCT_FTZ(U) SlctF32<U, true>

constexpr FormEntry entries[] = {
    RW_ALL_TYPES("selp", "", RW_SELP),
    RW_ALL_TYPES("slct", ".s32", RW_SLCT_S32),
    RW_ALL_TYPES("slct", ".f32", RW_SLCT_F32),
    RW_ALL_TYPES("slct.ftz", ".f32", RW_SLCT_FTZ),
    RW_FORM("testp.finite.f32", TestpF32<Property::Finite>),
    RW_FORM("testp.infinite.f32", TestpF32<Property::Infinite>),
    RW_FORM("testp.number.f32", TestpF32<Property::Number>),
    RW_FORM("testp.notanumber.f32", TestpF32<Property::NotANumber>),
    RW_FORM("testp.normal.f32", TestpF32<Property::Normal>),
    RW_FORM("testp.subnormal.f32", TestpF32<Property::Subnormal>),
    RW_FORM("testp.finite.f64", TestpF64<Property::Finite>),
    RW_FORM("testp.infinite.f64", TestpF64<Property::Infinite>),
    RW_FORM("testp.number.f64", TestpF64<Property::Number>),
    RW_FORM("testp.notanumber.f64", TestpF64<Property::NotANumber>),
    RW_FORM("testp.normal.f64", TestpF64<Property::Normal>),
    RW_FORM("testp.subnormal.f64", TestpF64<Property::Subnormal>),
    RW_FORM("and.pred", And<u8>),
    RW_FORM("or.pred", Or<u8>),
    RW_FORM("xor.pred", Xor<u8>),
    RW_FORM("not.pred", Not<u8>),
};

}  // namespace

FormList select_forms() { return list_of(entries); }

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
