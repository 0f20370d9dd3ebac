#include "lib/generate/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/base/random.h"
#include "lib/generate/random_forms.h"
#include "lib/generate/random_matrix.h"
#include "lib/ptx/read.h"

namespace ropewalk::generate {

namespace {

constexpr u32 threads = 64, blocks = 2, registers = 6;
constexpr char classes[] = {'r', 'q', 'h', 'f', 'd'};
constexpr u32 words = registers * 5 + 1;  // that a thread stores: its registers and its predicates

// What ptxas 13.0 does not do as PTX says (docs/gpu.md has each); random programs have none of it, nor `set` with a
// float result and mad.hi.
bool loses_its_predicate(const RandomForm& form) { return std::string_view(form.opcode).starts_with("testp."); }
bool is_folded_for_equal_operands(const RandomForm& form) {
  const std::string_view opcode = form.opcode;
  return ((opcode.starts_with("min.f") || opcode.starts_with("max.f")) && !opcode.ends_with("x2")) ||
         opcode.starts_with("lop3.");
}

class Writer {
 public:
  Writer(u64 seed, bool stray) : random_(seed), stray_(stray), target_(seed % 4 != 3 ? 80 : seed % 8 == 3 ? 89 : 90) {}

  std::string text() {
    begin();
    const u64 parts = 5 + random_.below(4);
    for (u64 part = 0; part < parts; ++part) {
      switch (random_.below(9)) {
        case 0:
          branch();
          break;
        case 1:
          loop();
          break;
        case 2:
          exchange();
          break;
        case 3:
          count();
          break;
        case 4:
          together();
          break;
        case 5:
          out_ += random_product(random_, registers, target_);
          break;
        case 6:
          out_ += random_matrix_load(random_, registers);
          break;
        default:
          lanes(3 + random_.below(8));
          break;
      }
    }
    if (stray_) stray();
    end();
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += "\t" + text + ";\n"; }
  std::string any(char kind) { return fmt::format("%{}{}", kind, random_.below(registers)); }

  void begin() {
    out_ = fmt::format(".version {}\n.target sm_{}", target_ == 80 ? "7.8" : "8.7", target_);
    out_ +=
        "\n.address_size 64\n\n.visible .entry random_program(\n\t.param .u64 in,\n"
        "\t.param .u64 out,\n\t.param .u64 sums,\n\t.param .u64 wild)\n{\n";
    line(".reg .b32 %r<6>, %t<8>");
    line(".reg .b64 %q<6>, %a<8>");
    line(".reg .b16 %h<6>");
    line(".reg .f32 %f<6>");
    line(".reg .f64 %d<6>");
    line(".reg .pred %p<6>, %c<2>");
    out_ += fmt::format("\t.shared .align 16 .b8 row[{}];\n", 4 * threads);
    for (const auto& [n, name] : {std::pair{0, "in"}, {1, "out"}, {2, "sums"}, {3, "wild"}}) {
      line(fmt::format("ld.param.u64 %a{}, [{}]", n, name));
      line(fmt::format("cvta.to.global.u64 %a{0}, %a{0}", n));
    }
    line("mov.u32 %t0, %tid.x");
    line("mov.u32 %t1, %ctaid.x");
    line(fmt::format("mad.lo.s32 %t2, %t1, {}, %t0", threads));
    line(fmt::format("mad.wide.u32 %a0, %t2, {}, %a0", 8 * words));
    line(fmt::format("mad.wide.u32 %a1, %t2, {}, %a1", 8 * words));
    u32 word = 0;
    for (const char kind : classes) {
      for (u32 n = 0; n < registers; ++n) load(kind, n, word++);
    }
    line("ld.global.u32 %t3, [%a0+" + std::to_string(8 * word) + "]");
    for (u32 n = 0; n < registers; ++n) {
      line(fmt::format("bfe.u32 %t4, %t3, {}, 1", n));
      line(fmt::format("setp.ne.u32 %p{}, %t4, 0", n));
    }
  }

  // Floats come from small integers, so that they do not all end in NaN at once.
  void load(char kind, u32 n, u32 word) {
    const std::string at = fmt::format("[%a0+{}]", 8 * word), name = fmt::format("%{}{}", kind, n);
    switch (kind) {
      case 'r':
        return line("ld.global.u32 " + name + ", " + at);
      case 'q':
        return line("ld.global.u64 " + name + ", " + at);
      case 'h':
        return line("ld.global.u16 " + name + ", " + at);
      default:
        break;
    }
    line("ld.global.s32 %t4, " + at);
    line("shr.s32 %t4, %t4, 12");
    line(kind == 'f' ? "cvt.rn.f32.s32 " + name + ", %t4" : "cvt.rn.f64.s32 " + name + ", %t4");
    line(kind == 'f' ? fmt::format("mul.rn.f32 {0}, {0}, 0f38000000", name)
                     : fmt::format("mul.rn.f64 {0}, {0}, 0d3F00000000000000", name));
  }

  std::string instruction(const RandomForm& form) {
    std::string text = form.opcode;
    std::vector<std::string> names;
    const char* between = " ";
    for (const char* operand = form.operands; *operand; ++operand) {
      text += between;
      if (*operand == 'c')
        text += "31";
      else if (*operand == 'z')
        text += "0";
      else if (*operand >= '0' && *operand <= '9')
        text += std::to_string(random_.below(u64(1) << (*operand - '0')));
      else {
        std::string name = any(*operand);
        while (is_folded_for_equal_operands(form) && std::ranges::find(names, name) != names.end())
          name = any(*operand);
        text += name;
        names.push_back(std::move(name));
      }
      between = ", ";
    }
    return text;
  }

  void lanes(u64 count) {
    const auto forms = lane_forms();
    for (; count > 0; --count) {
      std::string predicate;
      if (random_.below(5) == 0) predicate = (random_.below(2) ? "@" : "@!") + any('p') + " ";
      const auto small = small_float_forms();
      const bool is_small = target_ > 80 && random_.below(6) == 0;
      const RandomForm& form = is_small ? small[random_.below(small.size())] : forms[random_.below(forms.size())];
      line((loses_its_predicate(form) ? "" : predicate) + instruction(form));
    }
  }

  void branch() {
    const u32 label = labels_++;
    line(fmt::format("@{} bra ELSE_{}", any('p'), label));
    lanes(1 + random_.below(5));
    line(fmt::format("bra.uni JOIN_{}", label));
    out_ += fmt::format("ELSE_{}:\n", label);
    lanes(1 + random_.below(5));
    out_ += fmt::format("JOIN_{}:\n", label);
    line("bar.warp.sync 0xffffffff");
  }

  // As many rounds as the thread's number says: lanes leave one after the other.
  void loop() {
    const u32 label = labels_++;
    line("and.b32 %t5, %t0, 3");
    out_ += fmt::format("ROUND_{}:\n", label);
    lanes(1 + random_.below(4));
    line("sub.s32 %t5, %t5, 1");
    line("setp.ge.s32 %c0, %t5, 0");
    line(fmt::format("@%c0 bra ROUND_{}", label));
    line("bar.warp.sync 0xffffffff");
  }

  // Hands a register to another thread of the block.
  void exchange() {
    line("shl.b32 %t5, %t0, 2");
    line("mov.u32 %t6, row");
    line("add.s32 %t5, %t5, %t6");
    line("st.shared.u32 [%t5], " + any('r'));
    line("bar.sync 0");
    line(fmt::format("xor.b32 %t7, %t0, {}", random_.below(threads)));
    line("shl.b32 %t7, %t7, 2");
    line("add.s32 %t7, %t7, %t6");
    line("ld.shared.u32 " + any('r') + ", [%t7]");
    line("bar.sync 0");
  }

  // Sums of integers do not depend on who comes first.
  void count() {
    constexpr const char* operations[] = {"red.global.add.u32", "red.global.xor.b32", "red.global.max.s32",
                                          "red.global.min.u32", "red.global.or.b32"};
    const u64 operation = random_.below(5);
    line(fmt::format("{} [%a2+{}], {}", operations[operation], 4 * operation, any('r')));
  }

  void together() {
    const auto forms = warp_forms();
    line(instruction(forms[random_.below(forms.size())]) + ", 0xffffffff");
  }

  // Somewhere from before the tensor's start to past its end, and not always on an element.
  void stray() {
    line(fmt::format("and.b32 %t5, {}, 255", any('r')));
    line("cvt.u64.u32 %a4, %t5");
    line("add.s64 %a4, %a4, %a3");
    line(fmt::format("@{} st.global.u32 [%a4+{}], %t2", any('p'), random_.between(-64, 64)));
  }

  void end() {
    u32 word = 0;
    for (const char kind : classes) {
      for (u32 n = 0; n < registers; ++n) store(kind, n, word++);
    }
    line("mov.u32 %t4, 0");
    for (u32 n = 0; n < registers; ++n) {
      line(fmt::format("selp.u32 %t5, {}, 0, %p{}", 1 << n, n));
      line("or.b32 %t4, %t4, %t5");
    }
    line("cvt.u64.u32 %a5, %t4");
    line(fmt::format("st.global.u64 [%a1+{}], %a5", 8 * word));
    line("ret");
    out_ += "}\n";
  }

  // Of a NaN no bit is defined: neg, abs, sqrt and conversions keep its sign or do not.
  void store(char kind, u32 n, u32 word) {
    const std::string at = fmt::format("[%a1+{}]", 8 * word);
    switch (kind) {
      case 'r':
        line(fmt::format("cvt.u64.u32 %a5, %r{}", n));
        break;
      case 'h':
        line(fmt::format("cvt.u64.u16 %a5, %h{}", n));
        break;
      case 'f':
        line(fmt::format("mov.b32 %t4, %f{}", n));
        line(fmt::format("setp.nan.f32 %c1, %f{0}, %f{0}", n));
        line("selp.b32 %t4, 0x7fffffff, %t4, %c1");
        line("cvt.u64.u32 %a5, %t4");
        break;
      case 'd':
        line(fmt::format("mov.b64 %a5, %d{}", n));
        line(fmt::format("setp.nan.f64 %c1, %d{0}, %d{0}", n));
        line("selp.b64 %a5, 0x7fffffffffffffff, %a5, %c1");
        break;
      default:
        return line(fmt::format("st.global.b64 {}, %{}{}", at, kind, n));
    }
    line(fmt::format("st.global.u64 {}, %a5", at));
  }

  Random random_;
  bool stray_;
  u32 target_;  // sm_80: 80
  std::string out_;
  u32 labels_ = 0;
};

LaunchTensor tensor_of(const char* name, Dtype dtype, i64 elements, Init init) {
  LaunchTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.shape = {elements};
  tensor.strides = {1};
  tensor.init = std::move(init);
  return tensor;
}

}  // namespace

RandomProgram random_program(u64 seed, bool stray) {
  RandomProgram out;
  out.text = Writer(seed, stray).text();
  out.launch.module = std::make_shared<ptx::Module>(ptx::read(out.text, fmt::format("random program {}", seed)));
  out.launch.entry = "random_program";
  out.launch.grid.x = blocks;
  out.launch.block.x = threads;
  auto values = std::make_shared<Array>();
  values->dtype = Dtype::U64;
  values->shape = {i64(blocks * threads * words)};
  values->bytes.resize(8 * u64(values->shape[0]));
  for (u64 i = 0; i < values->bytes.size(); i += 8) {
    const u64 bits = random_bits(seed ^ 0x9e3779b97f4a7c15ull, i);
    std::memcpy(values->bytes.data() + i, &bits, 8);
  }
  const i64 count = values->shape[0];
  out.launch.tensors = {tensor_of("in", Dtype::U64, count, Given{values, ""}),
                        tensor_of("out", Dtype::U64, count, Uninitialized{}), tensor_of("sums", Dtype::U32, 5, Fill{0}),
                        tensor_of("wild", Dtype::U32, 32, Fill{0})};
  out.launch.tensors[1].output = true;
  for (u32 n = 0; n < 4; ++n) out.launch.arguments.push_back(TensorArgument{n, -1, 0});
  return out;
}

}  // namespace ropewalk::generate
