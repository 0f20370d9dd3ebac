// Random programs on words of which nobody wrote some, against the truth: the same program run on many contents of
// those words. A byte of the output that differs must be reported; one that cannot differ must not.
#include <gtest/gtest.h>

#include "tests/lib/machine/run_values.h"

namespace ropewalk {
namespace {

// Lines with a result {d}, operands {a}, {b} and {c}, a constant {k}, a number {s} below 32, one {h} below 65536, and
// one {n} that is different in each. Of the first it is known exactly which bits the result depends on.
const char* const exact_lines[] = {
    "and.b32 {d}, {a}, {k};",
    "or.b32 {d}, {a}, {k};",
    "xor.b32 {d}, {a}, {b};",
    "and.b32 {d}, {a}, {b};",
    "not.b32 {d}, {a};",
    "lop3.b32 {d}, {a}, {b}, {k}, {s};",
    "shl.b32 {d}, {a}, {s};",
    "shr.u32 {d}, {a}, {s};",
    "shr.s32 {d}, {a}, {s};",
    "shf.l.wrap.b32 {d}, {a}, {b}, {s};",
    "shf.r.clamp.b32 {d}, {a}, {b}, {s};",
    "prmt.b32 {d}, {a}, {b}, {h};",
    "bfe.u32 {d}, {a}, {s}, 7;",
    "bfe.s32 {d}, {a}, 3, {s};",
    "bfi.b32 {d}, {a}, {b}, {s}, 9;",
    "brev.b32 {d}, {a};",
    "cvt.s32.s8 {d}, {a};",
    "cvt.u32.u16 {d}, {a};",
    "mov.b64 %rd30, {{{a}, {b}}}; shr.u64 %rd30, %rd30, {s}; cvt.u32.u64 {d}, %rd30;",
    "mov.b32 {{%rs30, %rs31}}, {a}; mov.b32 {d}, {{%rs31, %rs1}};",
    "st.local.u64 [own], %rd2; st.local.u32 [own+4], {a}; ld.local.u16 {d}, [own+6];",
    "st.local.u64 [own+8], %rd3; st.local.u16 [own+10], {a}; ld.local.u32 {d}, [own+8];",
    "shfl.sync.bfly.b32 {d}, {a}, {s}, 31, -1;",
};
const char* const other_lines[] = {
    "add.u32 {d}, {a}, {k};",
    "add.u32 {d}, {a}, {b};",
    "sub.u32 {d}, {a}, {b};",
    "mul.lo.u32 {d}, {a}, {b};",
    "mul.hi.u32 {d}, {a}, {b};",
    "mul.hi.s32 {d}, {a}, {k};",
    "mad.lo.s32 {d}, {a}, {b}, {c};",
    "mul.wide.s32 %rd31, {a}, {b}; shr.u64 %rd31, %rd31, {s}; cvt.u32.u64 {d}, %rd31;",
    "min.u32 {d}, {a}, {b};",
    "max.s32 {d}, {a}, {k};",
    "div.u32 {d}, {a}, {b};",
    "rem.u32 {d}, {a}, {k};",
    "rem.s32 {d}, {a}, {b};",
    "neg.s32 {d}, {a};",
    "cnot.b32 {d}, {a};",
    "clz.b32 {d}, {a};",
    "dp4a.s32.u32 {d}, {a}, {b}, {c};",
    "add.u16x2 {d}, {a}, {b};",
    "max.s16x2 {d}, {a}, {b};",
    "add.f16x2 {d}, {a}, {b};",
    "mul.bf16x2 {d}, {a}, {b};",
    "add.f32 {d}, {a}, {b};",
    "lop3.b32 {d}, {a}, {b}, {c}, 232;",
    "slct.b32.s32 {d}, {a}, {b}, {c};",
    "setp.lt.u32 %p5, {a}, {b}; selp.b32 {d}, {b}, {c}, %p5;",
    "setp.ge.s32 %p5, {a}, {k}; selp.b32 {d}, {b}, {c}, %p5;",
    "setp.eq.u32 %p5, {a}, {b}; selp.b32 {d}, 1, {c}, %p5;",
    "add.cc.u32 %r59, {a}, {b}; subc.cc.u32 %r59, {c}, %r59; addc.u32 {d}, {b}, 0;",
    "popc.b32 {d}, {a}; setp.gt.u32 %p5, {d}, 16; @%p5 add.u32 {d}, {d}, {b};",
    "mov.u32 {d}, {a}; setp.lt.u32 %p5, {b}, {c}; @%p5 bra past{n}; add.u32 {d}, {d}, {b};\npast{n}:",
    "mov.u32 {d}, {a}; setp.lt.s32 %p5, {b}, {c}; @%p5 ld.global.u16 {d}, [%rd7+4];",
    "setp.gt.s32 %p5, {a}, {b}; vote.sync.any.pred %p6, %p5, -1; selp.b32 {d}, {c}, 5, %p6;",
    "setp.gt.s32 %p5, {a}, {b}; vote.sync.ballot.b32 {d}, %p5, -1;",
    "redux.sync.and.b32 {d}, {a}, -1;",
    "redux.sync.add.u32 {d}, {a}, -1;",
    "redux.sync.max.s32 {d}, {a}, -1;",
    "redux.sync.max.f32 {d}, {a}, -1;",
    "shfl.sync.idx.b32 {d}, {a}, {b}, 31, -1;",
    "shl.b32 %r58, %r1, 2; mov.u32 %r59, tile; add.u32 %r59, %r59, %r58; st.shared.u32 [%r59], {a}; bar.warp.sync -1; "
    "xor.b32 %r58, %r58, 22; mov.u32 %r59, tile; add.u32 %r59, %r59, %r58; ld.shared.u16 {d}, [%r59]; bar.warp.sync "
    "-1;",
};

// A straight-line program. Where it is exact, each value is used once, so that nothing unknown meets itself again.
class Program {
 public:
  Program(u64 seed, bool exact) : random_(seed), exact_(exact) {
    for (u32 n = 0; n < 6; ++n) {
      text_ += fmt::format("  ld.global.u32 %r{}, [%rd{}+{}];\n", new_register(), random_.below(2) ? 7 : 8,
                           n < 2 ? 4 * n : 4 * n + 8);  // %rd3 is between
    }
    for (u32 n = 0; n < (exact ? 5u : 14u); ++n) {
      const bool other = !exact && random_.below(2);
      add_line(other ? other_lines[random_.below(std::size(other_lines))]
                     : exact_lines[random_.below(std::size(exact_lines))]);
    }
    text_ += fmt::format("  mov.u32 %r9, {};\n", take());
    text_ += fmt::format("  mov.u32 %r10, {};\n", take());
  }
  const std::string& text() const { return text_; }

 private:
  u32 new_register() {
    values_.push_back(next_);
    return next_++;
  }
  std::string take() {
    if (values_.empty()) return constant();
    const std::size_t at = random_.below(values_.size());
    const u32 value = values_[at];
    if (exact_) values_.erase(values_.begin() + long(at));
    return fmt::format("%r{}", value);
  }
  std::string constant() {
    const u32 some[] = {0xff, 0xffff,     0xffff0000,          0x0f0f0f0f, 0xffffff00,
                        3,    0x80000000, u32(random_.bits()), 0,          ~u32(0)};
    return std::to_string(some[random_.below(std::size(some))]);
  }
  void add_line(const std::string& line) {
    const auto operand = [&](const char* name) {
      return line.find(name) == std::string::npos ? std::string() : take();
    };
    const std::string a = operand("{a}"), b = operand("{b}"), c = operand("{c}");
    const u32 d = new_register();
    text_ += "  " +
             fmt::format(fmt::runtime(line), fmt::arg("d", fmt::format("%r{}", d)), fmt::arg("a", a), fmt::arg("b", b),
                         fmt::arg("c", c), fmt::arg("k", constant()), fmt::arg("s", random_.below(32)),
                         fmt::arg("h", random_.below(65536)), fmt::arg("n", d)) +
             "\n";
  }

  Random random_;
  bool exact_;
  std::string text_;
  std::vector<u32> values_;
  u32 next_ = 12;
};

struct Counts {
  u64 missed = 0, false_alarms = 0, unknown = 0, known = 0;
};

// By byte of the output: whether it differs between contents, and whether the machine says that it may.
Counts compare(const std::string& body, u64 fills) {
  RunOptions options;
  options.checks.remove(Check::Division);  // programs divide by whatever there is
  const Launch launch = value_launch(body);
  const u64 bytes = launch.tensors[2].bytes();
  std::vector<bool> differs(bytes, false);
  std::vector<std::byte> first;
  for (u64 fill = 1; fill <= fills; ++fill) {
    const Launch filled = value_launch(body, fill == 3 ? 1000 : fill);
    const Outcome outcome = machine::make_machine()->run(filled, options);
    EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason << body;
    if (outcome.kind != OutcomeKind::Agreed) return {};
    std::vector<std::byte> now(outcome.tensors[2].bytes, outcome.tensors[2].bytes + bytes);
    if (first.empty()) first = now;
    for (u64 n = 0; n < bytes; ++n) differs[n] = differs[n] || now[n] != first[n];
  }
  const Outcome outcome = machine::make_machine()->run(launch, options);
  Counts counts;
  for (u64 n = 0; n < bytes; ++n) {
    const u64* poisoned = outcome.tensors[2].poisoned;
    const bool reported = poisoned && ((poisoned[n / 64] >> (n % 64)) & 1);
    counts.missed += differs[n] && !reported;
    counts.false_alarms += reported && !differs[n];
    (reported ? counts.unknown : counts.known) += 1;
  }
  EXPECT_EQ(counts.unknown > 0, outcome.kind == OutcomeKind::Found) << body;
  return counts;
}

TEST(UnwrittenPrograms, never_miss_a_byte_that_differs) {
  Counts all;
  for (u64 seed = 0; seed < 120; ++seed) {
    const Program program(seed, false);
    const Counts counts = compare(program.text(), 6);
    ASSERT_EQ(counts.missed, 0u) << "seed " << seed << "\n" << program.text();
    all.unknown += counts.unknown;
    all.known += counts.known;
  }
  EXPECT_GT(all.unknown, 5000u);
  EXPECT_GT(all.known, 5000u);
}

// With 20 contents every byte of these programs that may differ does so.
TEST(UnwrittenPrograms, tell_of_no_byte_that_cannot_differ) {
  Counts all;
  for (u64 seed = 0; seed < 60; ++seed) {
    const Program program(seed + 100000, true);
    const Counts counts = compare(program.text(), 20);
    EXPECT_EQ(counts.missed, 0u) << "seed " << seed << "\n" << program.text();
    EXPECT_EQ(counts.false_alarms, 0u) << "seed " << seed << "\n" << program.text();
    all.unknown += counts.unknown;
    all.known += counts.known;
  }
  EXPECT_GT(all.unknown, 2000u);
  EXPECT_GT(all.known, 2000u);
}

}  // namespace
}  // namespace ropewalk
