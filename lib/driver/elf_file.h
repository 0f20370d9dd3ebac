// What ELF files of 64 bits list. It needs the C library alone.
#pragma once
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "lib/base/types.h"

namespace ropewalk::driver {

struct ElfFunction {
  u64 address = 0;  // as it was linked
  u64 bytes = 0;    // 0: not known
  std::string_view name;
};

// A view of a file's bytes, which may be any: what is no such file, or ends too soon, lists nothing more.
class ElfFile {
 public:
  explicit ElfFile(std::string_view file) : file_(file), header_(at<Elf64_Ehdr>(0)) {
    const bool is_known = std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 && header_.e_ident[EI_CLASS] == ELFCLASS64;
    if (!is_known) header_ = {};
  }

  // Its addresses are those in memory.
  bool is_fixed() const { return header_.e_type == ET_EXEC; }

  // Each segment that is loaded.
  template <class Body>
  void each_segment(const Body& body) const {
    for (u64 n = 0; n < header_.e_phnum; ++n) {
      const auto segment = at<Elf64_Phdr>(header_.e_phoff + n * header_.e_phentsize);
      if (segment.p_type == PT_LOAD) body(segment);
    }
  }

  // The bytes of a section; none where there is no such section.
  std::string_view section_named(std::string_view name) const {
    const u64 names = section(header_.e_shstrndx).sh_offset;
    for (u64 n = 0; n < header_.e_shnum; ++n) {
      const Elf64_Shdr one = section(n);
      if (text_at(names + one.sh_name) != name || one.sh_offset > file_.size()) continue;
      return {file_.data() + one.sh_offset, std::min<u64>(one.sh_size, file_.size() - one.sh_offset)};
    }
    return {};
  }

  // Each function that the file defines: of SHT_SYMTAB all, where it was not stripped, of SHT_DYNSYM those that others
  // may call.
  template <class Body>
  void each_function(u32 table_type, const Body& body) const {
    for (u64 n = 0; n < header_.e_shnum; ++n) {
      const Elf64_Shdr table = section(n);
      if (table.sh_type != table_type) continue;
      const u64 names = section(table.sh_link).sh_offset;
      for (u64 from = 0; from + sizeof(Elf64_Sym) <= table.sh_size && from < file_.size(); from += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(table.sh_offset + from);
        const auto type = ELF64_ST_TYPE(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
        body(ElfFunction{symbol.st_value, symbol.st_size, text_at(names + symbol.st_name)});
      }
    }
  }

 private:
  // All zero where the file ends before.
  template <class Value>
  Value at(u64 offset) const {
    Value value{};
    if (offset <= file_.size() && sizeof value <= file_.size() - offset)
      std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }
  Elf64_Shdr section(u64 number) const { return at<Elf64_Shdr>(header_.e_shoff + number * header_.e_shentsize); }
  std::string_view text_at(u64 offset) const {
    if (offset >= file_.size()) return {};
    return {file_.data() + offset, strnlen(file_.data() + offset, file_.size() - offset)};
  }

  std::string_view file_;
  Elf64_Ehdr header_;
};

}  // namespace ropewalk::driver
