#include "lib/driver/symbols.h"

#include <link.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/elf_file.h"

namespace ropewalk::driver {

namespace {

struct Symbol {
  u64 start = 0, bytes = 0;
  std::string name;
};

// The functions of a file by their starts.
std::vector<Symbol> functions_of(const ElfFile& file) {
  std::vector<Symbol> out;
  u64 base = 0;  // of the image, where addresses are not counted from it
  file.each_segment([&](const Elf64_Phdr& segment) {
    if (file.is_fixed() && segment.p_offset == 0) base = segment.p_vaddr;
  });
  file.each_function(SHT_SYMTAB, [&](const ElfFunction& one) {
    if (one.bytes) out.push_back({one.address - base, one.bytes, std::string(one.name)});
  });
  std::ranges::sort(out, {}, &Symbol::start);
  return out;
}

// body(the file); of one that cannot be read, that of one that lists nothing.
template <class Body>
auto of_file(const std::string& path, const Body& body) {
  try {
    const MappedFile file(path);
    return body(ElfFile(file.text()));
  } catch (const InputError&) {
    return body(ElfFile({}));
  }
}

const std::vector<Symbol>& functions_in(const std::string& path) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::map<std::string, std::vector<Symbol>>* const known = new std::map<std::string, std::vector<Symbol>>;
  const auto at = known->find(path);
  return at != known->end() ? at->second : (*known)[path] = of_file(path, functions_of);
}

}  // namespace

std::string symbol_in_file(const std::string& path, u64 offset) {
  const std::vector<Symbol>& functions = functions_in(path);
  const auto behind = std::ranges::upper_bound(functions, offset, {}, &Symbol::start);
  if (behind == functions.begin()) return "";
  const Symbol& last = *std::prev(behind);
  return offset - last.start < last.bytes ? last.name : "";
}

bool has_kernels(const std::string& path) {
  return of_file(path, [](const ElfFile& file) { return !file.section_named(".nv_fatbin").empty(); });
}

bool program_links(std::string_view part) {
  std::string_view names;  // of the program's dynamic symbols
  const auto of_program = [](dl_phdr_info* info, std::size_t, void* out) {
    u64 table = 0, bytes = 0;
    for (u32 n = 0; n < info->dlpi_phnum; ++n) {
      if (info->dlpi_phdr[n].p_type != PT_DYNAMIC) continue;
      const auto* at = reinterpret_cast<const Elf64_Dyn*>(info->dlpi_addr + info->dlpi_phdr[n].p_vaddr);
      for (; at->d_tag != DT_NULL; ++at) {
        if (at->d_tag == DT_STRTAB) table = at->d_un.d_ptr;
        if (at->d_tag == DT_STRSZ) bytes = at->d_un.d_val;
      }
    }
    if (table) *static_cast<std::string_view*>(out) = {reinterpret_cast<const char*>(table), bytes};
    return 1;  // the program comes first
  };
  dl_iterate_phdr(of_program, &names);
  if (names.find(part) != std::string_view::npos) return true;
  return of_file("/proc/self/exe", [&](const ElfFile& file) {
    bool has_inside = false;  // as a program has the runtime's functions that is linked with the static one
    file.each_function(SHT_SYMTAB, [&](const ElfFunction& one) {
      has_inside |= one.bytes && one.name.find(part) != std::string_view::npos;
    });
    return has_inside;
  });
}

}  // namespace ropewalk::driver
