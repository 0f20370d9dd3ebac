#include "lib/ptx/grammar_rules.h"

#include <algorithm>
#include <array>

namespace ropewalk::ptx {

namespace {

#define RW_INTEGERS "u16 u32 u64 s16 s32 s64"
#define RW_HALVES "f16 f16x2 bf16 bf16x2"
#define RW_ROUNDINGS "rn rz rm rp"
#define RW_RELATIONS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
#define RW_MEMORY                                                                                       \
  "global shared local const param shared::cta shared::cluster param::entry param::func weak relaxed "  \
  "acquire release volatile mmio cta cluster gpu sys ca cg cs lu cv nc wb wt unified "                  \
  "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_last " \
  "L2::evict_normal L2::evict_first L2::cache_hint L2::64B L2::128B L2::256B v2 v4 v8"
#define RW_MEMORY_TYPES "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
#define RW_ATOMIC                                                                                             \
  "global shared shared::cta shared::cluster relaxed acquire release acq_rel cta cluster gpu sys add and or " \
  "xor exch cas inc dec min max noftz L2::cache_hint v2 v4 v8"
#define RW_ATOMIC_TYPES "b16 b32 b64 b128 u32 u64 s32 s64 f32 f64 " RW_HALVES
#define RW_CONVERTED                                                                                     \
  "u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 tf32 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 " \
  "ue8m0x2 e4m3x4 e5m2x4 e2m1x4 e2m3x4 e3m2x4 s2f6x2"
#define RW_BARRIER "sync arrive red aligned cta popc and or pred u32"

// Sorted by stem.
constexpr std::array rules = {
    GrammarRule{"abs", "s16 s32 s64 f32 f64 " RW_HALVES, "ftz", "da"},
    GrammarRule{"activemask", "b32", "", "d"},
    GrammarRule{"add", RW_INTEGERS " u16x2 s16x2 f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat cc", "daa", 1, 2},
    GrammarRule{"addc", "u32 s32 u64 s64", "cc", "daa"},
    GrammarRule{"and", "pred b16 b32 b64", "", "daa"},
    GrammarRule{"atom", RW_ATOMIC_TYPES, RW_ATOMIC, "*"},
    GrammarRule{"bar", "u32 pred", RW_BARRIER " warp", "*", 0, 1},
    GrammarRule{"barrier", "u32 pred", RW_BARRIER " cluster wait relaxed acquire release", "*", 0, 1},
    GrammarRule{"bfe", "u32 u64 s32 s64", "", "dauu"},
    GrammarRule{"bfi", "b32 b64", "", "daauu"},
    GrammarRule{"bfind", "u32 u64 s32 s64", "shiftamt", "ra"},
    GrammarRule{"bmsk", "b32", "clamp wrap", "daa"},
    GrammarRule{"bra", "", "uni", "l", 0, 0},
    GrammarRule{"brev", "b32 b64", "", "da"},
    GrammarRule{"brkpt", "", "", "", 0, 0},
    GrammarRule{"brx", "", "idx uni", "ut", 0, 0},
    GrammarRule{"call", "", "uni", "*", 0, 0},
    GrammarRule{"clz", "b32 b64", "", "ra"},
    GrammarRule{"cnot", "b16 b32 b64", "", "da"},
    GrammarRule{"copysign", "f32 f64", "", "daa"},
    GrammarRule{"cos", "f32", "approx ftz", "da"},
    GrammarRule{"cvt", RW_CONVERTED, "rni rzi rmi rpi rn rz rm rp rna rs ftz sat satfinite relu scaled::n2::ue8m0",
                "xy[y][u]", 2, 2},
    GrammarRule{"cvta", "u32 u64", "to shared local global const param shared::cta shared::cluster param::entry", "dA"},
    GrammarRule{"div", RW_INTEGERS " f32 f64", "approx full " RW_ROUNDINGS " ftz", "daa"},
    GrammarRule{"dp2a", "u32 s32", "lo hi", "duuu", 2, 2},
    GrammarRule{"dp4a", "u32 s32", "", "duuu", 2, 2},
    GrammarRule{"elect", "", "sync", "*", 0, 0},
    GrammarRule{"ex2", "f32 " RW_HALVES, "approx ftz", "da"},
    GrammarRule{"exit", "", "", "", 0, 0},
    GrammarRule{"fma", "f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat relu oob", "daaa", 1, 2},
    GrammarRule{"fns", "b32", "", "duuu"},
    GrammarRule{"isspacep", "", "shared local global const param shared::cta shared::cluster param::entry", "P*", 0, 0},
    GrammarRule{"ld", RW_MEMORY_TYPES, RW_MEMORY, "vm[*]"},
    GrammarRule{"ldmatrix", "b16 b8", "*", "*"},
    GrammarRule{"ldu", RW_MEMORY_TYPES, "global v2 v4", "vm"},
    GrammarRule{"lg2", "f32", "approx ftz", "da"},
    GrammarRule{"lop3", "b32", "and or", "Daaai[p]"},
    GrammarRule{"mad", RW_INTEGERS " f32 f64", "lo hi wide sat cc " RW_ROUNDINGS " ftz", "daaa"},
    GrammarRule{"mad24", "u32 s32", "lo hi sat", "daaa"},
    GrammarRule{"madc", "u32 s32 u64 s64", "lo hi cc", "daaa"},
    GrammarRule{"match", "b32 b64", "sync any all", "*"},
    GrammarRule{"max", RW_INTEGERS " u16x2 s16x2 f32 f64 " RW_HALVES, "ftz NaN xorsign abs relu", "daa[a]"},
    GrammarRule{"min", RW_INTEGERS " u16x2 s16x2 f32 f64 " RW_HALVES, "ftz NaN xorsign abs relu", "daa[a]"},
    GrammarRule{"mov", "pred b16 b32 b64 b128 " RW_INTEGERS " f32 f64", "", "*"},
    GrammarRule{"movmatrix", "b16", "sync aligned m8n8 trans", "ru"},
    GrammarRule{"mul", RW_INTEGERS " f32 f32x2 f64 " RW_HALVES, "lo hi wide " RW_ROUNDINGS " ftz sat", "daa"},
    GrammarRule{"mul24", "u32 s32", "lo hi", "daa"},
    GrammarRule{"nanosleep", "u32", "", "u"},
    GrammarRule{"neg", "s16 s32 s64 f32 f64 " RW_HALVES, "ftz", "da"},
    GrammarRule{"not", "pred b16 b32 b64", "", "da"},
    GrammarRule{"or", "pred b16 b32 b64", "", "daa"},
    GrammarRule{"pmevent", "", "mask", "i", 0, 0},
    GrammarRule{"popc", "b32 b64", "", "ra"},
    GrammarRule{"prmt", "b32", "f4e b4e rc8 ecl ecr rc16", "daaa"},
    GrammarRule{"rcp", "f32 f64", "approx " RW_ROUNDINGS " ftz", "da"},
    GrammarRule{"red", RW_ATOMIC_TYPES, RW_ATOMIC " async mbarrier::complete_tx::bytes", "*"},
    GrammarRule{"redux", "u32 s32 b32 f32", "sync add min max and or xor abs NaN", "dau"},
    GrammarRule{"rem", RW_INTEGERS, "", "daa"},
    GrammarRule{"ret", "", "uni", "", 0, 0},
    GrammarRule{"rsqrt", "f32 f64", "approx ftz", "da"},
    GrammarRule{"sad", RW_INTEGERS, "", "*"},
    GrammarRule{"selp", "b16 b32 b64 " RW_INTEGERS " f32 f64", "", "daap"},
    GrammarRule{"set", "b16 b32 b64 " RW_INTEGERS " f32 f64 " RW_HALVES, RW_RELATIONS, "daa[p]", 2, 2},
    GrammarRule{"setp", "b16 b32 b64 " RW_INTEGERS " f32 f64 " RW_HALVES, RW_RELATIONS, "Qaa[p]"},
    GrammarRule{"shf", "b32", "l r clamp wrap", "daau"},
    GrammarRule{"shfl", "b32", "sync up down bfly idx", "Dauu[u]"},
    GrammarRule{"shl", "b16 b32 b64", "", "dau"},
    GrammarRule{"shr", "b16 b32 b64 " RW_INTEGERS, "", "dau"},
    GrammarRule{"sin", "f32", "approx ftz", "da"},
    GrammarRule{"slct", "b16 b32 b64 " RW_INTEGERS " f32 f64", "ftz", "dcca", 2, 2},
    GrammarRule{"sqrt", "f32 f64", "approx " RW_ROUNDINGS " ftz", "da"},
    GrammarRule{"st", RW_MEMORY_TYPES, RW_MEMORY " async mbarrier::complete_tx::bytes", "ms[*]"},
    GrammarRule{"stmatrix", "b16 b8", "*", "*"},
    GrammarRule{"sub", RW_INTEGERS " f32 f32x2 f64 " RW_HALVES, RW_ROUNDINGS " ftz sat cc", "daa", 1, 2},
    GrammarRule{"subc", "u32 s32 u64 s64", "cc", "daa"},
    GrammarRule{"szext", "u32 s32", "clamp wrap", "dau"},
    GrammarRule{"tanh", "f32 " RW_HALVES, "approx", "da"},
    GrammarRule{"testp", "f32 f64", "finite infinite number notanumber normal subnormal", "Pa"},
    GrammarRule{"trap", "", "", "", 0, 0},
    GrammarRule{"vote", "pred b32", "sync all any uni ballot", "*"},
    GrammarRule{"xor", "pred b16 b32 b64", "", "daa"},
};

// Those without a rule.
constexpr std::array<std::string_view, 55> others = {"@index",
                                                     "alloca",
                                                     "applypriority",
                                                     "clusterlaunchcontrol",
                                                     "cp",
                                                     "createpolicy",
                                                     "discard",
                                                     "fence",
                                                     "getctarank",
                                                     "griddepcontrol",
                                                     "istypep",
                                                     "mapa",
                                                     "mbarrier",
                                                     "membar",
                                                     "mma",
                                                     "multimem",
                                                     "prefetch",
                                                     "prefetchu",
                                                     "setmaxnreg",
                                                     "stackrestore",
                                                     "stacksave",
                                                     "suld",
                                                     "suq",
                                                     "sured",
                                                     "sust",
                                                     "tcgen05",
                                                     "tensormap",
                                                     "tex",
                                                     "tld4",
                                                     "txq",
                                                     "vabsdiff",
                                                     "vabsdiff2",
                                                     "vabsdiff4",
                                                     "vadd",
                                                     "vadd2",
                                                     "vadd4",
                                                     "vavrg2",
                                                     "vavrg4",
                                                     "vmad",
                                                     "vmax",
                                                     "vmax2",
                                                     "vmax4",
                                                     "vmin",
                                                     "vmin2",
                                                     "vmin4",
                                                     "vset",
                                                     "vset2",
                                                     "vset4",
                                                     "vshl",
                                                     "vshr",
                                                     "vsub",
                                                     "vsub2",
                                                     "vsub4",
                                                     "wgmma",
                                                     "wmma"};

constexpr auto by_stem = [](const GrammarRule& a, const GrammarRule& b) { return a.stem < b.stem; };
static_assert(std::is_sorted(rules.begin(), rules.end(), by_stem));

}  // namespace

const GrammarRule* grammar_rule(std::string_view stem) {
  const auto at = std::lower_bound(rules.begin(), rules.end(), GrammarRule{stem, "", "", ""}, by_stem);
  return at != rules.end() && at->stem == stem ? &*at : nullptr;
}

bool is_opcode(std::string_view stem) { return grammar_rule(stem) || std::ranges::find(others, stem) != others.end(); }

}  // namespace ropewalk::ptx
