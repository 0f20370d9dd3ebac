// What the tests of lib/ptx share: texts of modules and a look at what came out of them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/error.h"
#include "lib/ptx/module.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace ropewalk::ptx {

inline const std::string header = ".version 8.8\n.target sm_80\n.address_size 64\n";

// Registers of every kind in use.
inline const std::string registers =
    ".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n";

// A module with one entry "k" of three pointer parameters and that body.
inline std::string entry_text(const std::string& body) {
  return header + ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2)\n{\n" +
         registers + body + "\n}\n";
}

inline Module read_text(const std::string& text) { return read(text, "test.ptx"); }
inline Module read_entry(const std::string& body) { return read_text(entry_text(body)); }

// Every instruction of a function as the writer puts it.
inline std::vector<std::string> lines_of(const Module& module, const Function& function) {
  std::vector<std::string> lines;
  for (const Instruction& instruction : function.instructions) lines.push_back(text_of(module, function, instruction));
  return lines;
}
inline std::vector<std::string> lines_of(const Module& module) { return lines_of(module, module.functions.at(0)); }

using Lines = std::vector<std::string>;

// The message of the error that reading the text gives, "" where it gives none.
inline std::string error_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline const Operand& operand_of(const Function& function, u32 instruction, u32 operand) {
  return function.operands.at(function.instructions.at(instruction).first_operand + operand);
}

// Expects that the text of the module reads back as the same module; returns it.
inline std::string expect_round_trip(const Module& module) {
  const std::string text = write(module);
  EXPECT_NO_THROW({
    const Module again = read(text, "written.ptx");
    EXPECT_TRUE(same(module, again)) << text;
    EXPECT_EQ(write(again), text);
  }) << text;
  return text;
}

}  // namespace ropewalk::ptx
