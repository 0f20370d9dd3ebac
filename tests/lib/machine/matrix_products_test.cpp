// Every form of mma.sync against a plain loop over the matrices; what becomes of elements that nobody wrote, of loads
// out of bounds, and of NaN.
#include "tests/lib/machine/matrix_products.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/base/half.h"
#include "lib/machine/machine.h"

namespace ropewalk {
namespace {

// Finite, and of floats with many bits of a size that lets sums neither vanish nor overflow.
u64 random_element(Random& random, MatrixElement element) {
  const u64 bits = random.bits();
  const double number = double(i32(u32(bits)) >> 8) * std::ldexp(1.0, int(bits >> 32 & 15) - 20);
  switch (element) {
    case MatrixElement::BF16:
      return f32_to_bits(float(number)) >> 16;
    case MatrixElement::TF32:
    case MatrixElement::F32:
      return f32_to_bits(float(number)) | (bits >> 40 & 0xff);
    case MatrixElement::F64:
      return __builtin_bit_cast(u64, number * (1 + std::ldexp(double(bits >> 36), -40)));
    default:
      break;
  }
  const u32 width = ptx::facts_of(element).bits;
  const u64 value = bits & ((u64(1) << width) - 1);
  // Every fourth integer is at an end of its range.
  constexpr u64 ends[] = {0, ~u64(0), u64(1) << 63, ~u64(0) >> 1};
  if (!ptx::facts_of(element).is_float()) return bits >> 60 < 4 ? ends[bits >> 60] >> (64 - width) : value;
  return std::isfinite(number_of(element, value)) ? value : 0;
}

Matrices random_matrices(Random& random, const MatrixForm& form) {
  Matrices out;
  const auto draw = [&](char operand) {
    const Fragments fragments = fragments_of(form, operand);
    std::vector<u64> elements(fragments.elements);
    for (u64& element : elements) element = random_element(random, fragments.element);
    return elements;
  };
  out.a = draw('a');
  out.b = draw('b');
  out.c = draw('c');
  return out;
}

// The bits of an element of d, as the machine says that it sums.
u64 product_of(const MatrixForm& form, const Matrices& m, u32 row, u32 column) {
  const u32 rows = form.shape().rows, depth = form.shape().depth;
  const u64 c = m.c[row + rows * column];
  const auto a = [&](u32 k) { return number_of(form.a, m.a[row + rows * k]); };
  const auto b = [&](u32 k) { return number_of(form.b, m.b[column + 8 * k]); };
  if (form.shape().is_integer()) {
    i64 sum = i32(c);
    for (u32 k = 0; k < depth; ++k) sum += i64(a(k)) * i64(b(k));
    if (form.saturates) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
    return u32(sum);
  }
  if (form.sum == MatrixElement::F64) {
    double sum = number_of(form.sum, c);
    for (u32 k = 0; k < depth; ++k) sum = std::fma(a(k), b(k), sum);
    return __builtin_bit_cast(u64, sum);
  }
  float sum = float(number_of(form.sum, c));
  for (u32 k = 0; k < depth; ++k) sum = std::fma(float(a(k)), float(b(k)), sum);
  return form.sum == MatrixElement::F16 ? f32_to_f16(sum) : f32_to_bits(sum);
}

// A kernel in which each thread loads its registers of a, b and c, multiplies, and stores those of d. `change` stands
// before the product; %u has words that nobody wrote, %t is the thread.
std::string product_kernel(const MatrixForm& form, const std::string& change) {
  std::string loads, lists[3];
  const std::string names = "abc";
  for (u32 operand = 0; operand < 3; ++operand) {
    const Fragments fragments = fragments_of(form, names[operand]);
    const u32 bits = fragments.register_bits(), count = fragments.registers();
    loads += fmt::format("  .reg .b{} %{}<{}>;\n  mad.wide.u32 %p, %t, {}, %rd{};\n", bits, names[operand], count,
                         bits / 8 * count, operand);
    for (u32 n = 0; n < count; ++n) {
      loads += fmt::format("  ld.global.b{} %{}{}, [%p+{}];\n", bits, names[operand], n, bits / 8 * n);
      lists[operand] += fmt::format("{}%{}{}", n ? ", " : "", names[operand], n);
    }
  }
  const Fragments sums = fragments_of(form, 'c');
  const u32 bits = sums.register_bits(), count = sums.registers();
  std::string stores, results;
  for (u32 n = 0; n < count; ++n) {
    stores += fmt::format("  st.global.b{} [%p+{}], %d{};\n", bits, bits / 8 * n, n);
    results += fmt::format("{}%d{}", n ? ", " : "", n);
  }
  return fmt::format(R"(.version 8.8
.target sm_90
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 unwritten)
{{
  .reg .pred %q;
  .reg .b32 %t, %u, %v;
  .reg .b64 %rd<5>, %p, %w;
  .reg .b{0} %d<{1}>;
  mov.u32 %t, %tid.x;
  ld.param.u64 %rd0, [a];
  ld.param.u64 %rd1, [b];
  ld.param.u64 %rd2, [c];
  ld.param.u64 %rd3, [d];
  ld.param.u64 %rd4, [unwritten];
{2}{3}
  {4} {{{5}}}, {{{6}}}, {{{7}}}, {{{8}}};
  mad.wide.u32 %p, %t, {9}, %rd3;
{10}  ret;
}}
)",
                     bits, count, loads, change, ptx::opcode_of(form), results, lists[0], lists[1], lists[2],
                     bits / 8 * count, stores);
}

struct Product {
  MatrixForm form;
  std::vector<Matrices> matrices;  // of each warp
  Launch launch;

  Product(const MatrixForm& form, u64 seed, const std::string& change = "") : form(form) {
    Random random(seed);
    for (u32 warp = 0; warp < product_warps; ++warp) matrices.push_back(random_matrices(random, form));
    rewrite(change);
  }

  // The launch of the matrices as they are now.
  void rewrite(const std::string& change = "") {
    launch = Launch();
    launch.module = std::make_shared<ptx::Module>(ptx::read_module(product_kernel(form, change), "product.ptx"));
    launch.entry = "product";
    launch.block = {32 * product_warps, 1, 1};
    add_tensor("a", Given{bytes_of('a', &Matrices::a), ""});
    add_tensor("b", Given{bytes_of('b', &Matrices::b), ""});
    add_tensor("c", Given{bytes_of('c', &Matrices::c), ""});
    add_tensor("d", Uninitialized{}, u32(bytes_of('c', &Matrices::c)->bytes.size()));
    add_tensor("unwritten", Uninitialized{}, 8);
    launch.tensors[3].output = true;
  }

  std::shared_ptr<Array> bytes_of(char operand, std::vector<u64> Matrices::*matrix) const {
    auto array = std::make_shared<Array>();
    for (const Matrices& one : matrices) fragments_of(form, operand).append(one.*matrix, array->bytes);
    array->dtype = Dtype::U8;
    array->shape = {i64(array->bytes.size())};
    return array;
  }

  void add_tensor(const char* name, Init init, i64 bytes = 0) {
    if (const Given* given = std::get_if<Given>(&init)) bytes = given->array->shape[0];
    LaunchTensor tensor{.name = name, .dtype = Dtype::U8, .shape = {bytes}, .strides = {1}};
    tensor.init = std::move(init);
    launch.arguments.push_back(TensorArgument{u32(launch.tensors.size())});
    launch.tensors.push_back(tensor);
  }
};

u64 bits_at(const std::byte* bytes, std::pair<u64, u32> position, u32 width) {
  u64 value = 0;
  std::memcpy(&value, bytes + position.first, width == 64 ? 8 : 4);
  return value >> position.second & (width == 64 ? ~u64(0) : (u64(1) << width) - 1);
}

class MatrixProducts : public testing::TestWithParam<MatrixForm> {};
class FloatProducts : public MatrixProducts {};

TEST_P(MatrixProducts, are_those_of_a_plain_loop) {
  const Fragments sums = fragments_of(GetParam(), 'c');
  for (u64 seed = 0; seed < 8; ++seed) {
    const Product product(GetParam(), seed);
    RunOptions options;
    options.careful_only = seed % 2;
    const Outcome outcome = machine::make_machine()->run(product.launch, options);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
    for (u32 warp = 0; warp < product_warps; ++warp) {
      for (u32 n = 0; n < sums.elements; ++n) {
        const u32 row = n % GetParam().shape().rows, column = n / GetParam().shape().rows;
        ASSERT_EQ(bits_at(outcome.tensors[3].bytes, sums.position(warp, n), sums.bits()),
                  product_of(GetParam(), product.matrices[warp], row, column))
            << "row " << row << ", column " << column << ", seed " << seed;
      }
    }
  }
}

// Lines after which one element of an operand of the first warp is a word that nobody wrote, or what `load` puts in %u
// or %w.
std::string replaced(const MatrixForm& form, char operand, u32 number,
                     const std::string& load = "ld.global.b32 %u, [%rd4]; ld.global.b64 %w, [%rd4];") {
  const Fragments fragments = fragments_of(form, operand);
  const auto [at, bit] = fragments.position(0, number);
  const u64 index = at * 8 / fragments.register_bits();
  const std::string value = fmt::format("%{}{}", operand, index % fragments.registers());
  const std::string start = fmt::format("setp.eq.u32 %q, %t, {}; {} ", index / fragments.registers(), load);
  if (fragments.register_bits() == 64) return start + fmt::format("selp.b64 {0}, %w, {0}, %q;", value);
  return start + fmt::format("bfi.b32 %v, %u, {0}, {1}, {2}; selp.b32 {0}, %v, {0}, %q;", value, bit, fragments.bits());
}

// Where d is lost, as "row,column" of the first warp; "?" where the second warp lost something.
std::set<std::string> lost_of(const MatrixForm& form, const Outcome& outcome) {
  const Fragments sums = fragments_of(form, 'c');
  std::set<std::string> out;
  for (u32 warp = 0; warp < product_warps; ++warp) {
    for (u32 n = 0; n < sums.elements; ++n) {
      const auto [at, bit] = sums.position(warp, n);
      const u64 byte = at + bit / 8;
      const u64* const poisoned = outcome.tensors[3].poisoned;
      if (!poisoned || !((poisoned[byte / 64] >> (byte % 64)) & 1)) continue;
      out.insert(warp ? "?" : fmt::format("{},{}", n % form.shape().rows, n / form.shape().rows));
    }
  }
  return out;
}

std::set<std::string> row_of(u32 row) {
  std::set<std::string> out;
  for (u32 column = 0; column < 8; ++column) out.insert(fmt::format("{},{}", row, column));
  return out;
}

TEST_P(MatrixProducts, lose_what_an_unwritten_element_is_part_of) {
  const MatrixForm& form = GetParam();
  const u32 rows = form.shape().rows, depth = form.shape().depth;
  Random random(depth);
  for (u32 round = 0; round < 4; ++round) {
    const u32 row = u32(random.below(rows)), column = u32(random.below(8)), k = u32(random.below(depth));
    std::set<std::string> column_of;
    for (u32 r = 0; r < rows; ++r) column_of.insert(fmt::format("{},{}", r, column));
    const auto lost = [&](char operand, u32 number) {
      Product product(form, round, replaced(form, operand, number));
      const Outcome outcome = machine::make_machine()->run(product.launch, {});
      EXPECT_FALSE(outcome.findings.empty());
      for (const Finding& finding : outcome.findings) EXPECT_EQ(finding.rule, Rule::UninitializedRead);
      return lost_of(form, outcome);
    };
    EXPECT_EQ(lost('a', row + rows * k), row_of(row));
    EXPECT_EQ(lost('b', column + 8 * k), column_of);
    EXPECT_EQ(lost('c', row + rows * column), std::set{fmt::format("{},{}", row, column)});
  }
}

// One finding, at the load: what comes of it is not found again.
TEST_P(MatrixProducts, lose_what_a_load_out_of_bounds_is_part_of) {
  const Product product(GetParam(), 1, replaced(GetParam(), 'a', 5, "ld.global.b64 %w, [%rd4+8]; cvt.u32.u64 %u, %w;"));
  const Outcome outcome = machine::make_machine()->run(product.launch, {});
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsRead);
  EXPECT_EQ(lost_of(GetParam(), outcome), row_of(5));
}

// Infinity times zero: the product made the NaN. e4m3 has no infinity: where a is NaN itself, the product did not.
TEST_P(FloatProducts, are_the_origin_of_a_nan) {
  const MatrixForm& form = GetParam();
  Product product(form, 1);
  const u32 rows = form.shape().rows;
  for (Matrices& one : product.matrices) {
    one.a.assign(one.a.size(), 0);
    one.a[3 + rows * 2] = ptx::facts_of(form.a).first_nonfinite;
    for (u32 column = 0; column < 8; ++column) one.b[column + 8 * 2] = 0;
  }
  product.rewrite();
  LaunchTensor& d = product.launch.tensors[3];
  const u32 bits = ptx::facts_of(form.sum).bits;
  d.dtype = bits == 64 ? Dtype::F64 : bits == 32 ? Dtype::F32 : Dtype::F16;
  d.shape[0] /= bits / 8;
  d.finite = true;
  const Outcome outcome = machine::make_machine()->run(product.launch, {});
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_EQ(outcome.findings[0].rule, Rule::NonfiniteOrigin);
  ASSERT_TRUE(outcome.findings[0].location);
  const std::string instruction = outcome.findings[0].location->instruction;
  EXPECT_EQ(instruction.starts_with("mma"), form.a != MatrixElement::E4M3) << instruction;
}

std::string name_of(const testing::TestParamInfo<MatrixForm>& info) {
  std::string name = ptx::opcode_of(info.param).substr(std::string("mma.sync.aligned.").size());
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<MatrixForm> float_forms() {
  std::vector<MatrixForm> forms = ptx::matrix_forms();
  std::erase_if(forms, [](const MatrixForm& form) { return form.shape().is_integer(); });
  return forms;
}

INSTANTIATE_TEST_SUITE_P(Machine, MatrixProducts, testing::ValuesIn(ptx::matrix_forms()), name_of);
INSTANTIATE_TEST_SUITE_P(Machine, FloatProducts, testing::ValuesIn(float_forms()), name_of);

}  // namespace
}  // namespace ropewalk
