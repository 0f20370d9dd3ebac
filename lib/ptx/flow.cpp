#include "lib/ptx/flow.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

class FlowBuilder {
 public:
  FlowBuilder(const Module& module, const Function& function) : function_(function), opcodes_(module.opcodes) {
    turns_.reserve(module.opcodes.size());
    for (const Opcode& opcode : module.opcodes) turns_.push_back(opcode.facts().turn);
    for (const LabelTable& table : function.tables) tables_[table.name] = &table;
  }

  Flow build() {
    cut_blocks();
    for (u32 i = 0; i < flow_.exit; ++i) connect(flow_.blocks[i], i);
    find_post_dominators();
    find_leaving();
    meet_without_leavers();
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
      if (turn(i) != Turn::Next && turn(i) != Turn::Call) leads[i + 1] = true;
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
    if (turn == Turn::Next || last.predicate != Instruction::no_predicate) successors.push_back(number + 1);
    switch (turn) {
      case Turn::Next:
      case Turn::Call:
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
    const Edges successors = edges_of(flow_);
    flow_.post_dominator = immediate_dominators(flow_.exit, reversed(successors), successors);
  }

  // A debug build, and a function that is called last, have jumps where an optimised kernel has the exit itself.
  void find_leaving() {
    flow_.leaves.assign(flow_.blocks.size(), false);
    flow_.leaves[flow_.exit] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 i = flow_.exit; i-- > 0;) {
        const Block& block = flow_.blocks[i];
        if (flow_.leaves[i] || block.last != block.first + 1 || turn(block.first) == Turn::Next) continue;
        const auto& next = block.successors;
        flow_.leaves[i] = std::all_of(next.begin(), next.end(), [&](u32 after) { return bool(flow_.leaves[after]); });
        changed |= flow_.leaves[i];
      }
    }
  }

  // Threads that leave are gone: the others meet where all their ways lead that go on. A kernel may be left at many
  // blocks; where the ways of a branch have none in common but such ends, one end alone is taken for the end of the
  // kernel: one without a trap that can be reached from the most blocks, and that comes last on the way there, and by
  // two ways of the branch. Ways that cannot reach it are those of threads that leave before.
  void meet_without_leavers() {
    const Edges forwards = edges_that_stay(flow_), backwards = reversed(forwards);
    std::vector<u32> ends;  // blocks after which a thread leaves, whatever holds
    for (u32 i = 0; i < flow_.exit; ++i) {
      if (!flow_.leaves[i] && forwards[i].empty()) ends.push_back(i);
    }
    std::vector<u32> open;
    for (u32 i = 0; i < flow_.exit; ++i) {
      if (forwards[i].size() >= 2 && flow_.leaves[flow_.post_dominator[i]]) open.push_back(i);
    }
    if (open.empty()) return;

    const std::vector<u32> dominator = immediate_dominators(0, forwards, backwards);
    const auto depth_of = [&](u32 block) {
      u32 depth = 0;
      for (; block != 0; block = dominator[block]) ++depth;
      return depth;
    };
    struct End {
      u32 block = 0, depth = 0;
      bool traps = false;
      u64 reached_from = 0;
      std::vector<bool> can_reach;  // by block
    };
    std::vector<End> ranked;
    for (const u32 end : ends) {
      const Opcode& last = opcodes_[function_.instructions[flow_.blocks[end].last - 1].opcode];
      ranked.push_back({end, depth_of(end), last.op == "trap"_op, 0, reached(end, backwards)});
      ranked.back().reached_from =
          u64(std::count(ranked.back().can_reach.begin(), ranked.back().can_reach.end(), true));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const End& a, const End& b) {
      return std::tie(b.traps, a.reached_from, a.depth, a.block) > std::tie(a.traps, b.reached_from, b.depth, b.block);
    });
    for (const End& end : ranked) {
      const auto meets = [&](u32 branch) {
        const auto& ways = forwards[branch];
        return std::count_if(ways.begin(), ways.end(), [&](u32 way) { return bool(end.can_reach[way]); }) >= 2;
      };
      if (std::none_of(open.begin(), open.end(), meets)) continue;
      const std::vector<u32> joins = immediate_dominators(end.block, backwards, forwards);
      std::erase_if(open, [&](u32 branch) {
        if (!meets(branch)) return false;
        flow_.post_dominator[branch] = joins[branch];
        return true;
      });
    }
  }

  static std::vector<bool> reached(u32 from, const Edges& edges) {
    std::vector<bool> seen(edges.size(), false);
    std::vector<u32> waiting{from};
    seen[from] = true;
    while (!waiting.empty()) {
      const u32 block = waiting.back();
      waiting.pop_back();
      for (const u32 next : edges[block]) {
        if (seen[next]) continue;
        seen[next] = true;
        waiting.push_back(next);
      }
    }
    return seen;
  }

  void find_reachable() { flow_.reachable = reached(0, edges_of(flow_)); }

  const Function& function_;
  const std::vector<Opcode>& opcodes_;
  std::vector<Turn> turns_;  // by opcode
  std::unordered_map<std::string_view, const LabelTable*> tables_;
  std::vector<u32> seen_;  // by block: the last block, plus one, that has it as a successor
  Flow flow_;
};

}  // namespace

Flow flow_of(const Module& module, const Function& function) { return FlowBuilder(module, function).build(); }

std::vector<bool> reached(const Flow& flow, std::vector<u32> from, const std::vector<bool>& closed) {
  std::vector<bool> out(flow.block_of.size(), false);
  const auto reach = [&](u32 instruction) {
    if (out[instruction]) return;
    out[instruction] = true;
    if (closed.empty() || !closed[instruction]) from.push_back(instruction);
  };
  while (!from.empty()) {
    const u32 at = from.back();
    from.pop_back();
    const Block& block = flow.blocks[flow.block_of[at]];
    if (at + 1 < block.last) {
      reach(at + 1);
      continue;
    }
    for (const u32 next : block.successors) {
      if (next != flow.exit) reach(flow.blocks[next].first);
    }
  }
  return out;
}

Edges edges_of(const Flow& flow) {
  Edges out;
  for (const Block& block : flow.blocks) out.push_back(block.successors);
  return out;
}

Edges edges_that_stay(const Flow& flow) {
  Edges out = edges_of(flow);
  for (u32 block = 0; block < out.size(); ++block) {
    if (flow.leaves[block]) out[block].clear();
    std::erase_if(out[block], [&](u32 next) { return bool(flow.leaves[next]); });
  }
  return out;
}

}  // namespace ropewalk::ptx
