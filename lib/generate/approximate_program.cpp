#include "lib/generate/approximate_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "lib/base/half.h"
#include "lib/base/random.h"
#include "lib/generate/approximate_forms.h"
#include "lib/ptx/read.h"

namespace ropewalk::generate {

namespace {

constexpr u32 block_threads = 64;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What of a format counts here.
struct Format {
  double smallest, smallest_normal, beyond;  // beyond: the first power of two that it does not hold
};
Format format_of(ApproximateType type) {
  if (type == ApproximateType::F16) return {0x1p-24, 0x1p-14, 0x1p16};
  return {type == ApproximateType::F32 ? 0x1p-149 : 0x1p-133, 0x1p-126, 0x1p128};
}

double value_of(ApproximateType type, u32 bits) {
  if (type == ApproximateType::F16) return double(f16_to_f32(u16(bits)));
  return double(std::bit_cast<float>(type == ApproximateType::BF16 ? bits << 16 : bits));
}

u32 bits_of(ApproximateType type, float value) {
  if (type == ApproximateType::F16) return f32_to_f16(value);
  if (type == ApproximateType::BF16) return f32_to_bf16(value);
  return std::bit_cast<u32>(value);
}

// Operands of a form, by lane: one or two, as bits of its type.
using Operands = std::function<std::array<u32, 2>(const ApproximateForm&, u32 lane)>;

u32 any_operand(Random& random, const ApproximateForm& form) {
  constexpr double special[] = {0.0, -0.0, infinity, -infinity, 1.0, -1.0, 2.0, 0.5};
  switch (random.below(8)) {
    case 0:
      return bits_of(form.type, float(special[random.below(std::size(special))]));
    case 1:
    case 2:
      return u32(random.bits()) >> (form.type == ApproximateType::F32 ? 0 : 16);
    default:
      return bits_of(form.type, float(form.low + (form.high - form.low) * random.unit()));
  }
}

struct Expected {
  double value = 0, bound = 0;
};

Expected expected_of(const ApproximateForm& form, double a, double b) {
  const Format format = format_of(form.type);
  const auto flushed = [&](double x) {
    return form.flushes && std::fabs(x) < format.smallest_normal ? std::copysign(0.0, x) : x;
  };
  const double x = flushed(a), y = flushed(b), truth = form.truth(x, y);
  if (std::isnan(truth) || truth == 0 || std::isinf(truth))
    return {truth, form.error(x, y, 1.0) == infinity ? infinity : 0};
  const double magnitude = std::fabs(truth);
  // At the end of the range, rounding decides between the largest number and infinity.
  if (magnitude >= 1.01 * format.beyond) return {std::copysign(infinity, truth), form.error(x, y, 1.0)};
  if (magnitude >= 0.99 * format.beyond) return {truth, infinity};
  double bound = form.error(x, y, truth);
  if (magnitude < 1.01 * format.smallest_normal) bound += form.flushes ? format.smallest_normal : format.smallest;
  return {truth, bound};
}

// One load of operands, the instruction, and its result as f32.
std::string lines_of(const ApproximateForm& form, u32 n, u32 lanes) {
  const bool is_half = form.type != ApproximateType::F32;
  std::string text;
  const auto line = [&](const std::string& one) { text += "\t" + one + ";\n"; };
  const char* kind = is_half ? "h" : "f";
  for (u32 i = 0; i < form.operands; ++i) {
    const u32 at = (n * 2 + i) * lanes * 4;
    line(fmt::format("ld.global.{} %{}{}, [%a0+{}]", is_half ? "u16" : "f32", kind, i, at));
  }
  line(fmt::format("{0} %{1}2, %{1}0{2}", form.opcode, kind, form.operands == 2 ? ", %f1" : ""));
  if (form.type == ApproximateType::F16) line("cvt.f32.f16 %f2, %h2");
  if (form.type == ApproximateType::BF16) {
    line("mov.b32 %r0, {%h3, %h2}");
    line("mov.b32 %f2, %r0");
  }
  line(fmt::format("st.global.f32 [%a1+{}], %f2", n * lanes * 4));
  return text;
}

std::string text_of(const std::vector<const ApproximateForm*>& forms, bool is_hopper, u32 lanes) {
  std::string text = fmt::format(".version 7.8\n.target {}\n.address_size 64\n\n", is_hopper ? "sm_90" : "sm_80");
  text +=
      ".visible .entry approximate_program(\n\t.param .u64 in,\n\t.param .u64 out)\n{\n"
      "\t.reg .b32 %r<4>;\n\t.reg .b64 %a<2>;\n\t.reg .b16 %h<4>;\n\t.reg .f32 %f<4>;\n"
      "\tmov.b16 %h3, 0;\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ctaid.x;\n";
  text += fmt::format("\tmad.lo.s32 %r3, %r2, {}, %r1;\n", block_threads);
  for (const auto& [n, name] : {std::pair{0, "in"}, {1, "out"}}) {
    text += fmt::format("\tld.param.u64 %a{0}, [{1}];\n\tcvta.to.global.u64 %a{0}, %a{0};\n", n, name);
    text += fmt::format("\tmad.wide.u32 %a{0}, %r3, 4, %a{0};\n", n);
  }
  for (u32 n = 0; n < forms.size(); ++n) text += lines_of(*forms[n], n, lanes);
  return text + "\tret;\n}\n";
}

std::shared_ptr<Array> array_of(Dtype dtype, i64 rows, u32 lanes) {
  return std::make_shared<Array>(Array::zeros(dtype, {rows, i64(lanes)}));
}

LaunchTensor lanes_tensor(const char* name, Dtype dtype, i64 rows, u32 lanes, Init init) {
  LaunchTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.shape = {rows, lanes};
  tensor.strides = {lanes, 1};
  tensor.init = std::move(init);
  return tensor;
}

// The forms one after the other, each on its own row of operands.
RandomProgram program_of(const std::vector<const ApproximateForm*>& forms, bool is_hopper, u32 lanes,
                         const std::string& name, const Operands& operands_of) {
  const i64 count = i64(forms.size());
  const auto operands = array_of(Dtype::U32, 2 * count, lanes), values = array_of(Dtype::F64, count, lanes),
             bounds = array_of(Dtype::F64, count, lanes);
  for (u32 n = 0; n < forms.size(); ++n) {
    for (u32 lane = 0; lane < lanes; ++lane) {
      const std::array<u32, 2> bits = operands_of(*forms[n], lane);
      for (u64 i = 0; i < 2; ++i) std::memcpy(operands->bytes.data() + 4 * ((n * 2 + i) * lanes + lane), &bits[i], 4);
      const ApproximateType type = forms[n]->type;
      const Expected expected = expected_of(*forms[n], value_of(type, bits[0]), value_of(type, bits[1]));
      values->set(i64(n) * lanes + lane, expected.value);
      bounds->set(i64(n) * lanes + lane, expected.bound);
    }
  }
  RandomProgram out;
  out.text = text_of(forms, is_hopper, lanes);
  out.launch.module = std::make_shared<ptx::Module>(ptx::read(out.text, name));
  out.launch.entry = "approximate_program";
  out.launch.grid.x = lanes / block_threads;
  out.launch.block.x = block_threads;
  out.launch.tensors = {lanes_tensor("in", Dtype::U32, 2 * count, lanes, Given{operands, ""}),
                        lanes_tensor("out", Dtype::F32, count, lanes, Uninitialized{})};
  out.launch.tensors[1].output = true;
  for (u32 n = 0; n < 2; ++n) out.launch.arguments.push_back(TensorArgument{n, -1, 0});
  Expectation expectation;
  expectation.tensor = 1;
  expectation.values = values;
  expectation.bound = bounds;
  out.launch.expectations.push_back(std::move(expectation));
  return out;
}

}  // namespace

RandomProgram approximate_program(u64 seed) {
  Random random(seed);
  const bool is_hopper = seed % 4 == 3;
  std::vector<const ApproximateForm*> forms;
  for (const ApproximateForm& form : approximate_forms()) {
    if (is_hopper || !form.needs_hopper) forms.push_back(&form);
  }
  for (u64 n = forms.size(); n > 1; --n) std::swap(forms[n - 1], forms[random.below(n)]);
  return program_of(forms, is_hopper, 2 * block_threads, fmt::format("approximate program {}", seed),
                    [&](const ApproximateForm& form, u32) {
                      const u32 first = any_operand(random, form);
                      return std::array{first, any_operand(random, form)};
                    });
}

RandomProgram whole_range_program(const ApproximateForm& form) {
  const bool is_half = form.type != ApproximateType::F32;
  const u32 lanes = u32(1) << (is_half ? 16 : 20);
  Random random(1);
  const auto drawn = [&] { return bits_of(form.type, float(form.low + (form.high - form.low) * random.unit())); };
  return program_of({&form}, form.needs_hopper, lanes, form.opcode, [&](const ApproximateForm&, u32 lane) {
    if (is_half) return std::array{lane, lane};
    // Every other one of all bits, evenly; every other one where most operands are.
    return lane % 2 ? std::array{lane << 12 | 0x555, u32(random.bits())} : std::array{drawn(), drawn()};
  });
}

}  // namespace ropewalk::generate
