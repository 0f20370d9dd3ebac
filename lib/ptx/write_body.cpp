// Bodies: declarations, tables, labels and positions around the instructions.
#include <algorithm>
#include <numeric>

#include "lib/ptx/instruction_table.h"
#include "lib/ptx/writer.h"

namespace ropewalk::ptx {

namespace {

class BodyWriter {
 public:
  BodyWriter(std::string& out, const Module& module, const Function& function, DebugStrings& strings)
      : out_(out), module_(module), function_(function), strings_(strings) {}

  void write() {
    out_ += "{\n";
    declarations();
    tables();
    labels_by_instruction_.resize(function_.labels.size());
    std::iota(labels_by_instruction_.begin(), labels_by_instruction_.end(), 0u);
    std::ranges::stable_sort(labels_by_instruction_, {}, [&](u32 i) { return function_.labels[i].instruction; });
    for (u32 i = 0; i < function_.instructions.size(); ++i) {
      before(i);
      positioned(function_.instructions[i]);
    }
    before(u32(function_.instructions.size()));
    out_ += "}\n";
  }

 private:
  void declarations() {
    constexpr u64 row = 16;
    const std::vector<Register>& registers = function_.registers;
    for (u64 i = 0; i < registers.size();) {
      out_ += "\t.reg .";
      out_ += name_of(registers[i].type);
      u64 end = i;
      for (; end < registers.size() && end < i + row && registers[end].type == registers[i].type; ++end) {
        out_ += end == i ? " " : ", ";
        out_ += registers[end].name;
      }
      out_ += ";\n";
      i = end;
    }
    for (u64 i = function_.return_count + function_.parameter_count; i < function_.variables.size(); ++i) {
      out_ += '\t';
      write_variable(out_, function_.variables[i]);
      out_ += ";\n";
    }
  }

  void tables() {
    for (const LabelTable& table : function_.tables) {
      out_ += table.name + ":";
      const char* between = " ";
      if (!table.labels.empty()) out_ += " .branchtargets";
      for (const u32 label : table.labels) {
        out_ += between + function_.labels[label].name;
        between = ", ";
      }
      if (!table.functions.empty()) out_ += " .calltargets";
      for (const u32 function : table.functions) {
        out_ += between + module_.functions[function].name;
        between = ", ";
      }
      if (table.labels.empty() && table.functions.empty()) out_ += " .callprototype " + table.prototype;
      out_ += ";\n";
    }
  }

  // Labels and pragmas that stand before an instruction.
  void before(u32 instruction) {
    for (; next_label_ < labels_by_instruction_.size(); ++next_label_) {
      const Label& label = function_.labels[labels_by_instruction_[next_label_]];
      if (label.instruction > instruction) break;
      out_ += label.name + ":\n";
    }
    for (; next_pragma_ < function_.pragmas.size(); ++next_pragma_) {
      const Pragma& pragma = function_.pragmas[next_pragma_];
      if (pragma.instruction > instruction) break;
      out_ += "\t.pragma \"" + pragma.text + "\";\n";
    }
  }

  static std::string position_text(const Location& location) {
    return std::to_string(location.file) + " " + std::to_string(location.line) + " " + std::to_string(location.column);
  }

  // A .loc names the position it is inlined at by file, line and column alone, which means the latest such .loc. So the
  // outer ones are written again where another one came in between.
  void location(u32 number) {
    std::vector<u32> chain{number};
    while (true) {
      const u32 outer = function_.locations[chain.back()].inlined_at;
      if (outer == 0) break;
      const auto latest = latest_.find(position_text(function_.locations[outer]));
      if (latest != latest_.end() && latest->second == outer) break;
      chain.push_back(outer);
    }
    for (u64 i = chain.size(); i-- > 0;) {
      const Location& location = function_.locations[chain[i]];
      const std::string position = position_text(location);
      out_ += "\t.loc " + position;
      if (location.inlined_at || location.function) {
        out_ += ", function_name " + strings_.label_of(module_.inlined_functions[location.function]);
      }
      if (location.inlined_at) out_ += ", inlined_at " + position_text(function_.locations[location.inlined_at]);
      out_ += '\n';
      latest_[position] = chain[i];
    }
  }

  void positioned(const Instruction& instruction) {
    if (instruction.location && instruction.location != location_) location(instruction.location);
    location_ = instruction.location;
    out_ += '\t';
    write_instruction(out_, module_, function_, instruction);
    // An index statement is a comment and ends with its line.
    out_ += module_.opcode(instruction).op == "@index"_op ? "\n" : ";\n";
  }

  std::string& out_;
  const Module& module_;
  const Function& function_;
  DebugStrings& strings_;
  std::vector<u32> labels_by_instruction_;
  u64 next_label_ = 0;
  u64 next_pragma_ = 0;
  u32 location_ = 0;                             // of the instruction before
  std::unordered_map<std::string, u32> latest_;  // location by its text, as a reader of the text knows them
};

}  // namespace

void write_body(std::string& out, const Module& module, const Function& function, DebugStrings& strings) {
  BodyWriter(out, module, function, strings).write();
}

}  // namespace ropewalk::ptx
