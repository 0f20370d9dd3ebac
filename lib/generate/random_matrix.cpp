#include "lib/generate/random_matrix.h"

#include <fmt/format.h>

namespace ropewalk {

namespace {

// An mma.sync with the registers that its fragments take.
struct Product {
  const char* shape;
  const char* element;
  const char* sum;
  u32 a, b, c;
};
constexpr Product products[] = {
    {"m16n8k8", "f16", "f32", 2, 1, 4},  {"m16n8k16", "f16", "f32", 4, 2, 4}, {"m16n8k8", "f16", "f16", 2, 1, 2},
    {"m16n8k16", "f16", "f16", 4, 2, 2}, {"m16n8k8", "bf16", "f32", 2, 1, 4}, {"m16n8k16", "bf16", "f32", 4, 2, 4},
    {"m16n8k4", "tf32", "f32", 2, 1, 4}, {"m16n8k8", "tf32", "f32", 4, 2, 4},
};

class Lines {
 public:
  Lines(Random& random, u32 registers) : random_(random), registers_(registers) { text_ = "\t{\n"; }

  void line(const std::string& text) { text_ += "\t" + text + ";\n"; }
  std::string any() { return fmt::format("%r{}", random_.below(registers_)); }
  u64 below(u64 bound) { return random_.below(bound); }
  std::string end() { return text_ + "\t}\n"; }

 private:
  Random& random_;
  u32 registers_;
  std::string text_;
};

// A whole number from -8 to 7 in %mw.
void small_number(Lines& lines) {
  lines.line(fmt::format("bfe.u32 %mw, {}, {}, 4", lines.any(), lines.below(28)));
  lines.line("sub.s32 %mw, %mw, 8");
}

// One register of a fragment: two halves, or one number of 32 bits.
void fragment(Lines& lines, const std::string& name, const std::string& element) {
  if (element == "tf32" || element == "f32") {
    small_number(lines);
    lines.line("cvt.rn.f32.s32 %mf, %mw");
    return lines.line("mov.b32 " + name + ", %mf");
  }
  for (const char* half : {"%me0", "%me1"}) {
    small_number(lines);
    if (element == "bf16") {
      lines.line("cvt.rn.f32.s32 %mf, %mw");
      lines.line(fmt::format("cvt.rn.bf16.f32 {}, %mf", half));
    } else {
      lines.line(fmt::format("cvt.rn.f16.s32 {}, %mw", half));
    }
  }
  lines.line("mov.b32 " + name + ", {%me0, %me1}");
}

std::string list(const char* name, u32 count) {
  std::string text;
  for (u32 n = 0; n < count; ++n) text += fmt::format("{}{}{}", n ? ", " : "", name, n);
  return "{" + text + "}";
}

void mix_in(Lines& lines, const std::string& value) {
  const std::string into = lines.any();
  lines.line(fmt::format("xor.b32 {0}, {0}, {1}", into, value));
}

}  // namespace

std::string random_product(Random& random, u32 registers) {
  Lines lines(random, registers);
  const Product& product = products[lines.below(std::size(products))];
  lines.line(".reg .b32 %ma<4>, %mb<2>, %mc<4>, %md<4>, %mw");
  lines.line(".reg .f32 %mf");
  lines.line(".reg .b16 %me<2>");
  for (u32 n = 0; n < product.a; ++n) fragment(lines, fmt::format("%ma{}", n), product.element);
  for (u32 n = 0; n < product.b; ++n) fragment(lines, fmt::format("%mb{}", n), product.element);
  for (u32 n = 0; n < product.c; ++n) fragment(lines, fmt::format("%mc{}", n), product.sum);
  lines.line(fmt::format("mma.sync.aligned.{0}.row.col.{1}.{2}.{2}.{1} {3}, {4}, {5}, {6}", product.shape, product.sum,
                         product.element, list("%md", product.c), list("%ma", product.a), list("%mb", product.b),
                         list("%mc", product.c)));
  // As whole numbers, so that the sign of a zero does not count.
  for (u32 n = 0; n < product.c; ++n) {
    if (std::string_view(product.sum) == "f32") {
      lines.line(fmt::format("mov.b32 %mf, %md{}", n));
      lines.line("cvt.rni.s32.f32 %mw, %mf");
      mix_in(lines, "%mw");
      continue;
    }
    lines.line(fmt::format("mov.b32 {{%me0, %me1}}, %md{}", n));
    for (const char* half : {"%me0", "%me1"}) {
      lines.line(fmt::format("cvt.rni.s32.f16 %mw, {}", half));
      mix_in(lines, "%mw");
    }
  }
  return lines.end();
}

std::string random_matrix_load(Random& random, u32 registers) {
  Lines lines(random, registers);
  lines.line(".reg .b32 %mp, %mq, %ml<4>");
  if (lines.below(3) == 0) {
    lines.line(fmt::format("movmatrix.sync.aligned.m8n8.trans.b16 %mp, {}", lines.any()));
    mix_in(lines, "%mp");
    return lines.end();
  }
  lines.line("mov.u32 %mq, row");
  lines.line("shl.b32 %mp, %t0, 2");
  lines.line("add.s32 %mp, %mp, %mq");
  lines.line("st.shared.u32 [%mp], " + lines.any());
  lines.line("bar.sync 0");
  // Rows of 16 bytes; each warp takes those of both.
  lines.line("and.b32 %mp, %t0, 15");
  lines.line("shl.b32 %mp, %mp, 4");
  lines.line("add.s32 %mp, %mp, %mq");
  const u32 count = 1u << lines.below(3);
  const char* turned = lines.below(2) ? ".trans" : "";
  const std::string into = list("%ml", count);
  lines.line(fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%mp]", count, turned, into));
  lines.line("bar.sync 0");
  for (u32 n = 0; n < count; ++n) mix_in(lines, fmt::format("%ml{}", n));
  return lines.end();
}

}  // namespace ropewalk
