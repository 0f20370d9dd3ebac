#include "lib/ptx/renumber.h"

#include <algorithm>
#include <numeric>

namespace ropewalk::ptx {

namespace {

class Registers {
 public:
  explicit Registers(Function& function) : function_(function), number_(function.registers.size(), unnamed) {}

  void run() {
    for (Instruction& it : function_.instructions) {
      if (it.predicate != Instruction::no_predicate) it.predicate = number_of(it.predicate);
      for (u32 i = 0; i < it.operand_count; ++i) visit(it.first_operand + i);
    }
    function_.registers = std::move(ordered_);
  }

 private:
  static constexpr u32 unnamed = 0xffffffffu;

  u32 number_of(u32 old) {
    if (number_[old] == unnamed) {
      number_[old] = u32(ordered_.size());
      ordered_.push_back(function_.registers[old]);
    }
    return number_[old];
  }

  void visit(u32 at) {
    Operand& operand = function_.operands[at];
    if (operand.kind == Operand::Kind::Register) operand.id = number_of(operand.id);
    for (u32 i = 0; i < operand.count; ++i) visit(operand.first + i);
  }

  Function& function_;
  std::vector<u32> number_;
  std::vector<Register> ordered_;
};

void renumber_labels(Function& function) {
  std::vector<u32> order(function.labels.size()), number(function.labels.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](u32 i) { return function.labels[i].instruction; });
  std::vector<Label> labels;
  for (const u32 old : order) {
    number[old] = u32(labels.size());
    labels.push_back(std::move(function.labels[old]));
  }
  function.labels = std::move(labels);
  for (Operand& operand : function.operands) {
    if (operand.kind == Operand::Kind::Label) operand.id = number[operand.id];
  }
  for (LabelTable& table : function.tables) {
    for (u32& label : table.labels) label = number[label];
  }
}

}  // namespace

void renumber(Function& function) {
  Registers(function).run();
  renumber_labels(function);
}

}  // namespace ropewalk::ptx
