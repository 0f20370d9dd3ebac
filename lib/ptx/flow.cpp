#include "lib/ptx/flow.h"

#include <string_view>
#include <unordered_map>

#include "lib/ptx/dominators.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

// What an instruction does to the order of execution.
enum class Turn : u8 { Next, Branch, Table, Leave };

Turn turn_of(const Opcode& opcode) {
  if (opcode.stem == "bra") return Turn::Branch;
  if (opcode.stem == "brx") return Turn::Table;
  if (opcode.stem == "ret" || opcode.stem == "exit" || opcode.stem == "trap") return Turn::Leave;
  return Turn::Next;
}

class FlowBuilder {
 public:
  FlowBuilder(const Module& module, const Function& function) : function_(function) {
    turns_.reserve(module.opcodes.size());
    for (const Opcode& opcode : module.opcodes) turns_.push_back(turn_of(opcode));
    for (const LabelTable& table : function.tables) tables_[table.name] = &table;
  }

  Flow build() {
    cut_blocks();
    for (u32 i = 0; i < flow_.exit; ++i) connect(flow_.blocks[i], i);
    find_post_dominators();
    find_reachable();
    return std::move(flow_);
  }

 private:
  Turn turn(u32 instruction) const { return turns_[function_.instructions[instruction].opcode]; }

  void cut_blocks() {
    const u32 count = u32(function_.instructions.size());
    std::vector<bool> leads(count + 1, false);
    leads[0] = true;
    for (const Label& label : function_.labels) leads[label.instruction] = true;
    for (u32 i = 0; i < count; ++i) {
      if (turn(i) != Turn::Next) leads[i + 1] = true;
    }
    flow_.block_of.resize(count);
    for (u32 i = 0; i < count; ++i) {
      if (leads[i]) flow_.blocks.push_back(Block{i, i, {}});
      flow_.blocks.back().last = i + 1;
      flow_.block_of[i] = u32(flow_.blocks.size()) - 1;
    }
    flow_.exit = u32(flow_.blocks.size());
    flow_.blocks.push_back(Block{count, count, {}});
  }

  u32 block_at(u32 instruction) const {
    return instruction < flow_.block_of.size() ? flow_.block_of[instruction] : flow_.exit;
  }

  void connect(Block& block, u32 number) {
    const Instruction& last = function_.instructions[block.last - 1];
    const Turn turn = turns_[last.opcode];
    std::vector<u32>& successors = block.successors;
    // The block after the last one is the exit: control that runs off the end leaves.
    if (turn == Turn::Next || last.guard != Instruction::no_guard) successors.push_back(number + 1);
    switch (turn) {
      case Turn::Next:
        break;
      case Turn::Leave:
        successors.push_back(flow_.exit);
        break;
      case Turn::Branch:
        branch(successors, function_.operands[last.first_operand]);
        break;
      case Turn::Table:
        table(successors, function_.operands[last.first_operand + 1]);
        break;
    }
    // Equal ones once, in their order.
    u64 kept = 0;
    for (const u32 successor : successors) {
      if (seen_.size() <= successor) seen_.resize(flow_.blocks.size(), 0);
      if (seen_[successor] == number + 1) continue;
      seen_[successor] = number + 1;
      successors[kept++] = successor;
    }
    successors.resize(kept);
  }

  void branch(std::vector<u32>& successors, const Operand& target) const {
    if (target.kind == Kind::Label) successors.push_back(block_at(function_.labels[target.id].instruction));
  }

  void table(std::vector<u32>& successors, const Operand& name) const {
    if (name.kind != Kind::Text) return;
    const auto found = tables_.find(function_.texts[name.id]);
    if (found == tables_.end()) return;
    for (const u32 label : found->second->labels) successors.push_back(block_at(function_.labels[label].instruction));
  }

  void find_post_dominators() {
    Edges successors(flow_.blocks.size()), predecessors(flow_.blocks.size());
    for (u32 i = 0; i < flow_.blocks.size(); ++i) {
      successors[i] = flow_.blocks[i].successors;
      for (const u32 successor : successors[i]) predecessors[successor].push_back(i);
    }
    flow_.post_dominator = immediate_dominators(flow_.exit, predecessors, successors);
  }

  void find_reachable() {
    flow_.reachable.assign(flow_.blocks.size(), false);
    std::vector<u32> waiting{0};
    flow_.reachable[0] = true;
    while (!waiting.empty()) {
      const u32 block = waiting.back();
      waiting.pop_back();
      for (const u32 successor : flow_.blocks[block].successors) {
        if (flow_.reachable[successor]) continue;
        flow_.reachable[successor] = true;
        waiting.push_back(successor);
      }
    }
  }

  const Function& function_;
  std::vector<Turn> turns_;  // by opcode
  std::unordered_map<std::string_view, const LabelTable*> tables_;
  std::vector<u32> seen_;  // by block: the last block, plus one, that has it as a successor
  Flow flow_;
};

}  // namespace

Flow flow_of(const Module& module, const Function& function) { return FlowBuilder(module, function).build(); }

}  // namespace ropewalk::ptx
