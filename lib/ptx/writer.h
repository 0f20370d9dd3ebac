// What the parts of the writer share; inside of lib/ptx only.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// The labels of .debug_str by the text that stands there.
class DebugStrings {
 public:
  // "$L__info_string3" for a text, always the same one.
  std::string label_of(const std::string& text);
  // The section, empty where no text was asked for.
  std::string section() const;

 private:
  std::unordered_map<std::string, u64> numbers_;
  std::vector<std::string> texts_;
};

// "   .shared .align 16 .b8 name[8] = {1, 2}", without the semicolon.
void write_variable(std::string& out, const Variable& variable);
// "@%p1 st.global.b16 [%rd9+4], %rs4", without the semicolon.
void write_instruction(std::string& out, const Module& module, const Function& function,
                       const Instruction& instruction);
// "{" to "}".
void write_body(std::string& out, const Module& module, const Function& function, DebugStrings& strings);

}  // namespace ropewalk::ptx
