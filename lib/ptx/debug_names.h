// Source positions of a function while it is read, and the names of inlined functions from section .debug_str.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/ptx/lexer.h"
#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// By location of a function: the label in .debug_str that has the inlined function's name, and the bytes to add to it.
struct DebugReference {
  std::string_view label;
  u64 offset = 0;
};
using LocationNames = std::vector<DebugReference>;

// Collects the locations of one function, equal ones once.
class Locations {
 public:
  Locations(Function& function, LocationNames& names) : function_(function), names_(names) { names_.resize(1); }

  // Reads what follows ".loc" on its line and returns the location's number. `largest_file` is raised to the file's
  // number.
  u32 read(Lexer& lexer, u32* largest_file);

 private:
  struct Key {
    u32 file, line, column, inlined_at;
    std::string_view label;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    u64 operator()(const Key& key) const;
  };
  struct Found {
    u32 number;
    u32 depth;  // of inlining
  };

  Found add(const Key& key, u64 offset, u32 depth);

  Function& function_;
  LocationNames& names_;
  std::unordered_map<Key, Found, Hash> known_;
  std::unordered_map<Key, Found, Hash> latest_;  // by file, line and column alone
};

// The strings of .debug_str by label.
class DebugNames {
 public:
  // Reads the body of a .section from its '{' on. Sections other than .debug_str are stepped over.
  void read_section(Lexer& lexer, std::string_view name);
  // The number of the text at a label in `names`, to which it is added when it is new; 0 where there is none.
  u32 number_of(const DebugReference& reference, std::vector<std::string>& names);

 private:
  std::unordered_map<std::string_view, u64> labels_;
  std::string bytes_;
  std::unordered_map<u64, u32> numbers_;  // of names, by their offset in the bytes
};

}  // namespace ropewalk::ptx
