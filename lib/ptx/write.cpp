#include "lib/ptx/write.h"

#include <cstdio>

#include "lib/base/hash.h"
#include "lib/ptx/writer.h"

namespace ropewalk::ptx {

std::string DebugStrings::label_of(const std::string& text) {
  const auto [entry, is_new] = numbers_.try_emplace(text, texts_.size());
  if (is_new) texts_.push_back(text);
  return "$L__info_string" + std::to_string(entry->second);
}

std::string DebugStrings::section() const {
  if (texts_.empty()) return "";
  constexpr u64 row = 40;
  std::string out = "\t.section .debug_str\n\t{\n";
  for (u64 i = 0; i < texts_.size(); ++i) {
    out += "$L__info_string" + std::to_string(i) + ":";
    // With the terminating zero.
    for (u64 at = 0; at <= texts_[i].size(); ++at) {
      out += at % row == 0 ? "\n.b8 " : ",";
      out += std::to_string(u8(texts_[i].c_str()[at]));
    }
    out += '\n';
  }
  return out + "\t}\n";
}

namespace {

void write_parameters(std::string& out, const Function& function, u32 first, u32 count) {
  out += '(';
  for (u32 i = 0; i < count; ++i) {
    out += i ? ",\n\t" : "\n\t";
    write_variable(out, function.variables[first + i]);
  }
  out += ")";
}

void write_head(std::string& out, const Function& function) {
  if (!function.linkage.empty()) out += "." + function.linkage + " ";
  out += function.is_entry ? ".entry " : ".func ";
  if (function.return_count) {
    write_parameters(out, function, 0, function.return_count);
    out += ' ';
  }
  out += function.name;
  write_parameters(out, function, function.return_count, function.parameter_count);
}

void write_directives(std::string& out, const Function& function) {
  for (const std::string& directive : function.directives) {
    out += "\n" + directive;
    if (directive.starts_with(".pragma ")) out += ';';
  }
}

void write_function(std::string& out, const Module& module, const Function& function, DebugStrings& strings) {
  out += '\n';
  write_head(out, function);
  write_directives(out, function);
  out += '\n';
  write_body(out, module, function, strings);
}

}  // namespace

std::string write(const Module& module) {
  std::string out = ".version " + module.version + "\n.target " + module.target + "\n.address_size " +
                    std::to_string(module.address_size) + "\n";
  DebugStrings strings;
  // A function may be named before it is defined: by another one, by a table of addresses. So declarations come first.
  for (const Function& function : module.functions) {
    if (function.is_entry && function.has_body) continue;
    write_head(out, function);
    if (!function.has_body) write_directives(out, function);
    out += ";\n";
  }
  for (const Variable& variable : module.variables) {
    write_variable(out, variable);
    out += ";\n";
  }
  for (const Function& function : module.functions) {
    if (function.has_body) write_function(out, module, function, strings);
  }
  for (const Function& function : module.functions) {
    if (!function.alias.empty()) out += ".alias " + function.name + ", " + function.alias + ";\n";
  }
  for (u64 i = 0; i < module.files.size(); ++i) {
    if (!module.files[i].empty()) out += "\t.file " + std::to_string(i) + " \"" + module.files[i] + "\"\n";
  }
  return out + strings.section();
}

std::string hash_of(const Module& module) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(ropewalk::hash_of(write(module))));
  return digits;
}

}  // namespace ropewalk::ptx
