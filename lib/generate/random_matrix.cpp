#include "lib/generate/random_matrix.h"

#include <fmt/format.h>

#include "lib/ptx/matrix_forms.h"

namespace ropewalk::generate {

namespace {

using ptx::MatrixElement;
using ptx::MatrixForm;

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

// A whole number of so many bits, as many below zero as above, in %mw.
void small_number(Lines& lines, u32 bits) {
  lines.line(fmt::format("bfe.u32 %mw, {}, {}, {}", lines.any(), lines.below(32 - bits), bits));
  lines.line(fmt::format("sub.s32 %mw, %mw, {}", 1u << (bits - 1)));
}

// The same as a float in the register `name`.
void small_float(Lines& lines, u32 bits, const char* name) {
  small_number(lines, bits);
  lines.line(fmt::format("cvt.rn.f32.s32 {}, %mw", name));
}

// One register of a fragment. Integers are any, floats are whole numbers of so many bits.
void fragment(Lines& lines, const std::string& name, MatrixElement element, u32 bits) {
  const std::string_view type = ptx::facts_of(element).name;
  if (!ptx::facts_of(element).is_float()) return lines.line("mov.b32 " + name + ", " + lines.any());
  if (element == MatrixElement::F64) {
    small_number(lines, bits);
    return lines.line("cvt.rn.f64.s32 " + name + ", %mw");
  }
  if (ptx::facts_of(element).bits == 32) {
    small_float(lines, bits, "%mf");
    return lines.line("mov.b32 " + name + ", %mf");
  }
  for (const char* half : {"%me0", "%me1"}) {
    small_float(lines, bits, "%mf");
    if (ptx::facts_of(element).bits == 16) {
      lines.line(fmt::format("cvt.rn.{}.f32 {}, %mf", type, half));
      continue;
    }
    small_float(lines, bits, "%mg");
    lines.line(fmt::format("cvt.rn.satfinite.{}x2.f32 {}, %mf, %mg", type, half));
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

// A form that the target has; of one above sm_80 often one that others lack.
MatrixForm random_form(Lines& lines, u32 target) {
  const u32 least = target > 80 && lines.below(2) ? 81 : 0;
  std::vector<MatrixForm> forms = ptx::matrix_forms();
  std::erase_if(forms, [&](const MatrixForm& form) {
    return form.shape().least_target < least || form.shape().least_target > target;
  });
  return forms[lines.below(forms.size())];
}

}  // namespace

std::string random_product(Random& random, u32 registers, u32 target) {
  Lines lines(random, registers);
  const MatrixForm form = random_form(lines, target);
  const u32 bits = form.shape().depth < 32 ? 4 : 3;
  const auto fragments = [&](const char* name, MatrixElement element, u32 count, bool is_read = true) {
    lines.line(fmt::format(".reg .b{} {}<{}>", 8 * ptx::facts_of(element).register_bytes(), name, count));
    for (u32 n = 0; is_read && n < count; ++n) fragment(lines, fmt::format("{}{}", name, n), element, bits);
    return list(name, count);
  };
  lines.line(".reg .b32 %mw");
  lines.line(".reg .f32 %mf, %mg");
  lines.line(".reg .b16 %me<2>");
  const std::string a = fragments("%ma", form.a, form.registers_of_a());
  const std::string b = fragments("%mb", form.b, form.registers_of_b());
  const std::string c = fragments("%mc", form.sum, form.registers_of_sum());
  const std::string d = fragments("%md", form.sum, form.registers_of_sum(), false);
  lines.line(fmt::format("{} {}, {}, {}, {}", ptx::opcode_of(form), d, a, b, c));
  // As whole numbers, so that the sign of a zero does not count.
  for (u32 n = 0; n < form.registers_of_sum(); ++n) {
    if (form.sum == MatrixElement::F16) {
      lines.line(fmt::format("mov.b32 {{%me0, %me1}}, %md{}", n));
      for (const char* half : {"%me0", "%me1"}) {
        lines.line(fmt::format("cvt.rni.s32.f16 %mw, {}", half));
        mix_in(lines, "%mw");
      }
      continue;
    }
    lines.line(form.shape().is_integer() ? fmt::format("mov.b32 %mw, %md{}", n)
                                         : fmt::format("cvt.rni.s32.{} %mw, %md{}", ptx::facts_of(form.sum).name, n));
    mix_in(lines, "%mw");
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

}  // namespace ropewalk::generate
