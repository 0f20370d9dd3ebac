// CUDA sources compiled by nvcc where there is one: read, written again, and ptxas makes the same machine code of both
// texts.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "lib/ptx/flow.h"
#include "lib/ptx/matrix_forms.h"
#include "lib/ptx/provenance.h"
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

namespace fs = std::filesystem;

// A program of the CUDA toolkit: where CUDA_HOME says, in its usual folder, or on the PATH; "" where there is none.
std::string toolkit_program(const std::string& name) {
  std::vector<fs::path> folders;
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "bin");
  folders.push_back("/usr/local/cuda/bin");
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (u64 start = 0; start < path.size();) {
    const u64 end = std::min(path.find(':', start), path.size());
    folders.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name)) return (folder / name).string();
  }
  return "";
}

template <typename T>
T number_at(const std::string& bytes, u64 at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The sections of a 64-bit ELF file that hold code and initial data, by name.
std::map<std::string, std::string> code_sections(const std::string& elf) {
  std::map<std::string, std::string> sections;
  const u64 table = number_at<u64>(elf, 0x28), count = number_at<u16>(elf, 0x3c);
  const auto header = [&](u64 i) { return table + i * 64; };
  const u64 names = number_at<u64>(elf, header(number_at<u16>(elf, 0x3e)) + 0x18);
  for (u64 i = 0; i < count; ++i) {
    const std::string name = elf.c_str() + names + number_at<u32>(elf, header(i));
    if (!name.starts_with(".text") && !name.starts_with(".nv.constant") && !name.starts_with(".nv.global.init"))
      continue;
    sections[name] = elf.substr(number_at<u64>(elf, header(i) + 0x18), number_at<u64>(elf, header(i) + 0x20));
  }
  return sections;
}

class Compiled : public testing::Test {
 protected:
  void SetUp() override {
    ptxas_ = toolkit_program("ptxas");
    nvcc_ = toolkit_program("nvcc");
    if (ptxas_.empty()) GTEST_SKIP() << "ptxas of the CUDA toolkit was not found";
    folder_ = fs::temp_directory_path() / ("ropewalk_ptx_" + std::to_string(::getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  int run(const std::string& command) {
    return std::system((command + " > " + (folder_ / "log").string() + " 2>&1").c_str());
  }

  std::string log() { return contents(folder_ / "log"); }

  // What ptxas makes of a text.
  std::string assembled(const std::string& text, const std::string& architecture) {
    std::ofstream(folder_ / "written.ptx") << text;
    const std::string output = (folder_ / "written.cubin").string();
    const int status =
        run(ptxas_ + " -arch=" + architecture + " " + (folder_ / "written.ptx").string() + " -o " + output);
    EXPECT_EQ(status, 0) << log() << text;
    return contents(output);
  }

  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The written text assembles to the same machine code and data as the text that was read.
  void expect_same_code(const std::string& text, const std::string& written, const std::string& architecture) {
    const auto expected = code_sections(assembled(text, architecture));
    EXPECT_FALSE(expected.empty());
    const auto sections = code_sections(assembled(written, architecture));
    for (const auto& [name, bytes] : expected) {
      const auto found = sections.find(name);
      ASSERT_NE(found, sections.end()) << name;
      EXPECT_TRUE(found->second == bytes) << name << " differs\n" << written;
    }
  }

  // The source as PTX; read, checked and written again.
  void check_source(const std::string& source, const std::string& options, const std::string& architecture) {
    if (nvcc_.empty()) GTEST_SKIP() << "nvcc of the CUDA toolkit was not found";
    std::ofstream(folder_ / "source.cu") << source;
    const std::string output = (folder_ / "source.ptx").string();
    const int status = run(nvcc_ + " -ptx -arch=" + architecture + " " + options + " " +
                           (folder_ / "source.cu").string() + " -o " + output);
    ASSERT_EQ(status, 0) << log();
    const Module module = read_file(output);
    EXPECT_FALSE(module.functions.empty());
    for (const Function& function : module.functions) {
      if (!function.has_body) continue;
      EXPECT_FALSE(flow_of(module, function).blocks.empty());
      EXPECT_EQ(address_origins(module, function).size(), function.instructions.size());
    }
    // The written text leaves out the debug target, under which ptxas makes other code.
    if (options == "-G") {
      assembled(expect_round_trip(module), architecture);
    } else {
      expect_same_code(contents(output), expect_round_trip(module), architecture);
    }
  }

  std::string ptxas_, nvcc_;
  fs::path folder_;
};

constexpr const char* calls_and_tables = R"(
#include <cassert>
#include <cstdio>
struct Params { const float* x; float* y; long stride; int n; };
typedef float (*Op)(float);
__device__ float add_one(float x) { return x + 1; }
__device__ float sine(float x) { return sinf(x); }
__device__ Op operations[2] = {add_one, sine};
__device__ int counter;
struct Pair { int* where; char tag; };
__device__ Pair pair_of = {&counter, 3};
struct __attribute__((packed)) Packed { char tag; int* where; };
__device__ Packed packed = {1, &counter};
__constant__ float weights[4] = {1, 2, 3};
__device__ double wide[3] = {1.5, 2.5};
__device__ __noinline__ float helper(float a, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) { s += a * i; if (s > 100) s /= 3; }
  return s;
}
__device__ __forceinline__ float square(float x) { return x * x + __sinf(x); }
__device__ __forceinline__ float twice(float x) { return square(x) + square(x + 1); }
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256, 2) kernel(Params p, int m) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < m);
  if (i < p.n) {
    p.y[i * p.stride] = helper(p.x[i], m) + twice(p.x[i]);
    dynamic[threadIdx.x] = tile[threadIdx.x % 64] = p.y[i];
    __syncthreads();
    printf("%d %f\n", i, dynamic[0]);
    p.y[i] = operations[m](p.x[i]) + weights[m] + wide[m] + *pair_of.where + *packed.where + packed.tag;
  }
  switch (m) {
    case 0: p.y[0] = 1; break;
    case 1: p.y[1] = sinf(p.y[3]); break;
    case 2: p.y[5] = 3; break;
    case 3: p.y[9] = cosf(p.y[4]); break;
    case 4: atomicAdd(p.y, 2.0f); break;
    case 5: p.y[12] *= 3; break;
  }
}
)";

constexpr const char* scoped_assembly = R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void kernel(__nv_bfloat16* a, __half2* h, float4* f, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < n; k++) {
    asm volatile("{ .reg .pred P1; LAB_WAIT: setp.lt.s32 P1, %0, %1; @P1 bra.uni DONE; bra.uni LAB_WAIT; DONE: }" ::"r"(i), "r"(n));
    asm volatile("//@index %0 < %1 : a.n" ::"r"(i), "r"(n));
    asm volatile("{ .reg .pred P1; LAB_WAIT: setp.lt.s32 P1, %0, %1; @P1 bra.uni DONE; bra.uni LAB_WAIT; DONE: }" ::"r"(n), "r"(i));
    a[i] = __hmul(a[i], a[k]);
    h[i] = __hfma2(h[i], h[k], __float2half2_rn(1.5f));
    f[i].x = __shfl_xor_sync(0xffffffff, f[i].x, 4) + __ballot_sync(0xffffffff, i > k);
  }
  float4 v = f[i + 1];
  f[i] = make_float4(v.y, v.x, v.w, v.z);
}
)";

TEST_F(Compiled, CallsAndTables) { check_source(calls_and_tables, "-O3 -lineinfo", "sm_80"); }

TEST_F(Compiled, CallsAndTablesWithoutOptimisation) { check_source(calls_and_tables, "-O0 -lineinfo", "sm_80"); }

TEST_F(Compiled, CallsAndTablesForDebugging) { check_source(calls_and_tables, "-G", "sm_80"); }

TEST_F(Compiled, ScopedAssembly) { check_source(scoped_assembly, "-O3 -lineinfo --use_fast_math", "sm_80"); }

TEST_F(Compiled, ScopedAssemblyForHopper) { check_source(scoped_assembly, "-O3 -lineinfo", "sm_90a"); }

TEST_F(Compiled, TheExampleAssembles) {
  const std::string path = std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/ptx/examples.ptx";
  expect_same_code(contents(path), expect_round_trip(read_file(path)), "sm_80");
}

TEST_F(Compiled, BranchTablesPrototypesAndMatrices) {
  const std::string text = header + R"(
.func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.global .align 4 .u32 cell[2][3] = {{1, 2, 3}, {4}};
.global .align 8 .u64 pointers[2] = {generic(cell), f};
.visible .entry k(.param .u64 p, .param .u32 n) .reqntid 32
{
  .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<3>; .reg .b16 %rs<4>;
  ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %r1, [n];
  T: .branchtargets A, B, C;
  brx.idx %r1, T;
  A: mov.u64 %rd3, f;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (y), %rd3, (x), proto; ld.param.b32 %r2, [y]; }
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r2; targets: .calltargets f;
    call (y), %rd3, (x), targets; ld.param.b32 %r2, [y]; }
  st.global.b32 [%rd1], %r2;
  B: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, {%f1, %f2, %f3, %f4};
  st.global.f32 [%rd1+4], %f1;
  C: shfl.sync.bfly.b32 %r9|%p1, %r1, 1, 31, -1;
  @%p1 st.global.b32 [%rd1+8], %r9;
  createpolicy.fractional.L2::evict_first.b64 %rd4, 1.0;
  ld.global.L2::cache_hint.b32 %r10, [%rd1+12], %rd4;
  mov.b32 {_, %rs1}, %r10; st.global.b16 [%rd1+16], %rs1;
  mov.u64 %rd5, pointers+8; ld.global.u64 %rd6, [%rd5]; st.global.u64 [%rd1+24], %rd6;
  ret;
})";
  expect_same_code(text, expect_round_trip(read_text(text)), "sm_80");
}

// ptxas has every form of the table for its target, with the registers that the table counts.
TEST_F(Compiled, FormsOfMma) {
  std::set<u32> targets;
  for (const MatrixRow& row : matrix_rows) targets.insert(row.least_target);
  for (const u32 target : targets) {
    std::string lines;
    for (const MatrixForm& form : matrix_forms()) {
      if (form.shape().least_target != target) continue;
      const auto list = [](MatrixElement element, u32 count) {
        std::string text;
        for (u32 n = 0; n < count; ++n) {
          text += (n ? ", " : "") + std::string(facts_of(element).bits == 64 ? "%rd" : "%r") + std::to_string(n);
        }
        return "{" + text + "}";
      };
      const std::string sum = list(form.sum, form.registers_of_sum());
      lines += opcode_of(form) + " " + sum + ", " + list(form.a, form.registers_of_a()) + ", " +
               list(form.b, form.registers_of_b()) + ", " + sum + ";\n";
    }
    const std::string architecture = "sm_" + std::to_string(target);
    assembled(
        ".version 8.7\n.target " + architecture + "\n.address_size 64\n.entry k() {\n" + registers + lines + "ret; }",
        architecture);
  }
}

}  // namespace
}  // namespace ropewalk::ptx
