#include "lib/driver/symbols.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::driver {

namespace {

struct Symbol {
  u64 start = 0, bytes = 0;
  std::string name;
};

// The value at `offset`; all zero where the file ends before.
template <class Value>
Value value_at(std::string_view file, u64 offset) {
  Value value{};
  if (offset <= file.size() && sizeof value <= file.size() - offset)
    std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

// The functions of an ELF file (64 bits) by their starts.
std::vector<Symbol> functions_of(std::string_view file) {
  std::vector<Symbol> out;
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return out;
  const auto section = [&](u64 n) { return value_at<Elf64_Shdr>(file, header.e_shoff + n * header.e_shentsize); };
  u64 base = 0;  // of the image, where addresses are not counted from it
  for (u64 n = 0; n < header.e_phnum && header.e_type == ET_EXEC; ++n) {
    const auto segment = value_at<Elf64_Phdr>(file, header.e_phoff + n * header.e_phentsize);
    if (segment.p_type == PT_LOAD && segment.p_offset == 0) base = segment.p_vaddr;
  }
  for (u64 n = 0; n < header.e_shnum; ++n) {
    const Elf64_Shdr table = section(n);
    if (table.sh_type != SHT_SYMTAB) continue;
    const u64 names = section(table.sh_link).sh_offset;
    for (u64 at = 0; at + sizeof(Elf64_Sym) <= table.sh_size && at < file.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(file, table.sh_offset + at);
      const u64 name = names + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || name >= file.size()) continue;
      const std::string_view rest = file.substr(name);
      out.push_back({symbol.st_value - base, symbol.st_size, std::string(rest.substr(0, rest.find('\0')))});
    }
  }
  std::ranges::sort(out, {}, &Symbol::start);
  return out;
}

const std::vector<Symbol>& functions_in(const std::string& path) {
  static std::map<std::string, std::vector<Symbol>>* const known = new std::map<std::string, std::vector<Symbol>>;
  const auto at = known->find(path);
  if (at != known->end()) return at->second;
  try {
    return (*known)[path] = functions_of(MappedFile(path).text());
  } catch (const InputError&) {
    return (*known)[path];
  }
}

}  // namespace

std::string symbol_in_file(const std::string& path, u64 offset) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::vector<Symbol>& functions = functions_in(path);
  const auto behind = std::ranges::upper_bound(functions, offset, {}, &Symbol::start);
  if (behind == functions.begin()) return "";
  const Symbol& last = *std::prev(behind);
  return offset - last.start < last.bytes ? last.name : "";
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
  return names.find(part) != std::string_view::npos;
}

}  // namespace ropewalk::driver
