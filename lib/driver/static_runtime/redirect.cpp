// Programs and libraries with NVIDIA's runtime inside, as nvcc links it unless it is asked for the shared one: their
// calls of the runtime go to the virtual GPU's.
//
// The dynamic linker loads this before the program (LD_AUDIT, rtld-audit(7)) and shows it each file that it has mapped,
// before any of its code runs. Where the file's symbol table has the functions of a runtime, each of them that the
// virtual runtime has, too, is made to jump there. The virtual runtime itself is loaded at the first such call. Nothing
// but the C library may be used here, which is a second one beside the program's.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "lib/base/types.h"
#include "lib/driver/elf_file.h"

namespace {

using namespace ropewalk;
using driver::ElfFile;
using driver::ElfFunction;

// A file's bytes; none where it cannot be read.
std::string_view map_file(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  void* data = MAP_FAILED;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
    data = mmap(nullptr, std::size_t(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (data == MAP_FAILED) return {};
  return {static_cast<const char*>(data), std::size_t(about.st_size)};
}

void unmap(std::string_view file) {
  if (!file.empty()) munmap(const_cast<char*>(file.data()), file.size());
}

// Where calls of a function go.
struct Target {
  void* address = nullptr;  // find_target: nobody has called it so far
  const char* name = nullptr;
};

extern "C" void rw_find_target();

// A library of the virtual GPU: its runtime of a version of CUDA, or its driver.
class Runtime {
 public:
  explicit constexpr Runtime(const char* name) : name_(name) {}

  // nullptr: it has no such function.
  Target* target_of(std::string_view function) {
    read_names();
    for (u32 n = 0; n < count_; ++n) {
      if (function == targets_[n].name) return &targets_[n];
    }
    return nullptr;
  }
  // Of the library; empty: it is not known where this one is.
  const char* path() {
    read_names();
    return path_;
  }
  bool is_named(std::string_view file) const { return file == name_; }
  bool has(const Target* target) const { return target >= targets_ && target < targets_ + count_; }

  // Ends the process where there is no such library.
  void* address_of(const char* function) {
    if (!handle_) handle_ = dlmopen(LM_ID_BASE, path_, RTLD_NOW);
    void* const address = handle_ ? dlsym(handle_, function) : nullptr;
    if (address) return address;
    std::fprintf(stderr, "rope-check run: %s\n", dlerror());
    std::abort();
  }

 private:
  // What it exports; the names are those in its file.
  void read_names() {
    if (path_[0]) return;
    Dl_info own{};
    if (!dladdr(reinterpret_cast<void*>(rw_find_target), &own) || !own.dli_fname) return;
    const std::string_view file(own.dli_fname);
    std::snprintf(path_, sizeof path_, "%.*s%s", int(file.rfind('/') + 1), own.dli_fname, name_);
    ElfFile(map_file(path_)).each_function(SHT_DYNSYM, [&](const ElfFunction& one) {
      if (count_ < most) targets_[count_++] = {reinterpret_cast<void*>(rw_find_target), one.name.data()};
    });
  }

  static constexpr u32 most = 1024;
  const char* name_;
  char path_[4096] = {};
  void* handle_ = nullptr;
  Target targets_[most] = {};
  u32 count_ = 0;
};

Runtime version_12("libcudart.so.12"), version_13("libcudart.so.13");
Runtime driver_itself("libcuda.so.1");

// The runtime that a file has inside: nullptr: none, or one that the virtual GPU does not have.
Runtime* runtime_inside(std::string_view file) {
  bool registers = false, has_12 = false, is_before_13 = false;
  ElfFile(file).each_function(SHT_SYMTAB, [&](const ElfFunction& one) {
    registers |= one.name == "__cudaRegisterFatBinary";
    has_12 |= one.name == "cudaGraphInstantiateWithParams";    // since CUDA 12.0
    is_before_13 |= one.name == "cudaGetDeviceProperties_v2";  // the name without a number since CUDA 13.0
  });
  if (!registers || !has_12) return nullptr;
  return is_before_13 ? &version_12 : &version_13;
}

// movabs $target, %r11; jmp *(%r11): no function gets an argument in r11, or returns with what it had.
constexpr u64 jump_bytes = 13;
void write_jump(unsigned char* code, const Target* target) {
  const unsigned char move[] = {0x49, 0xbb}, jump[] = {0x41, 0xff, 0x23};
  std::memcpy(code, move, sizeof move);
  std::memcpy(code + 2, &target, sizeof target);
  std::memcpy(code + 10, jump, sizeof jump);
}

// Of the functions in a segment of code, at `base` more than their addresses in the file.
void redirect(std::string_view file, const Elf64_Phdr& segment, u64 base, Runtime& runtime) {
  const u64 page = u64(sysconf(_SC_PAGESIZE));
  const u64 first = (base + segment.p_vaddr) / page * page;
  const u64 last = base + segment.p_vaddr + segment.p_filesz;
  const auto allow = [&](int what) { return mprotect(reinterpret_cast<void*>(first), last - first, what) == 0; };
  if (!allow(PROT_READ | PROT_WRITE | PROT_EXEC)) return;
  ElfFile(file).each_function(SHT_SYMTAB, [&](const ElfFunction& one) {
    if (!one.name.starts_with("cuda") && !one.name.starts_with("__cuda")) return;
    const u64 at = one.address - segment.p_vaddr;
    // Functions are aligned, with nothing between.
    const bool has_room = one.bytes >= jump_bytes || one.address % 16 == 0;
    if (one.address < segment.p_vaddr || at + jump_bytes > segment.p_filesz || !has_room) return;
    auto* const code = reinterpret_cast<unsigned char*>(base + one.address);
    // The file may be another one by now.
    if (std::memcmp(code, file.data() + segment.p_offset + at, jump_bytes) != 0) return;
    if (const Target* const target = runtime.target_of(one.name)) write_jump(code, target);
  });
  allow(PROT_READ | PROT_EXEC);
}

void redirect(std::string_view file, u64 base) {
  Runtime* const runtime = runtime_inside(file);
  if (!runtime) return;
  ElfFile(file).each_segment([&](const Elf64_Phdr& segment) {
    const bool is_whole = segment.p_offset <= file.size() && segment.p_filesz <= file.size() - segment.p_offset;
    if ((segment.p_flags & PF_X) && is_whole) redirect(file, segment, base, *runtime);
  });
}

std::string_view name_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path;
}

// The virtual GPU's own libraries have these functions, too.
bool is_own(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.starts_with("libcudart.so") || name.starts_with("libcuda.so") || name.starts_with("libropewalk");
}

}  // namespace

// The first call of a function: what it was called with is kept until its target is known.
asm(R"(
  .text
  .globl rw_find_target
  .hidden rw_find_target
  .type rw_find_target, @function
rw_find_target:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r11
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq %r11, %rdi
  call rw_set_target
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r11
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  jmpq *(%r11)
  .size rw_find_target, . - rw_find_target
)");

extern "C" __attribute__((visibility("hidden"))) void rw_set_target(Target* target) {
  Runtime& runtime = version_12.has(target) ? version_12 : version_13;
  __atomic_store_n(&target->address, runtime.address_of(target->name), __ATOMIC_RELEASE);
}

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned version) { return version; }

extern "C" __attribute__((visibility("default"))) unsigned la_objopen(link_map* object, Lmid_t space, uintptr_t*) {
  if (space != LM_ID_BASE || is_own(object->l_name)) return 0;
  const std::string_view file = map_file(object->l_name[0] ? object->l_name : "/proc/self/exe");
  redirect(file, object->l_addr);
  unmap(file);
  return 0;  // no call of its own is of interest
}

// NVIDIA's shared runtime, wherever the program says that it is (a DT_RPATH, an absolute path), is the virtual one.
// PyTorch has its own, and needs it for nothing that runs here.
extern "C" __attribute__((visibility("default"))) char* la_objsearch(const char* name, uintptr_t* from, unsigned) {
  const auto* const object = reinterpret_cast<const link_map*>(*from);
  // As the driver's installer names it, too.
  if (name_of(name) == "libcuda.so" && driver_itself.path()[0]) return const_cast<char*>(driver_itself.path());
  const bool is_of_torch = std::strstr(object->l_name, "/torch/lib/");
  for (Runtime* const runtime : {&version_12, &version_13}) {
    if (runtime->is_named(name_of(name)) && !is_of_torch && runtime->path()[0])
      return const_cast<char*>(runtime->path());
  }
  return const_cast<char*>(name);
}
