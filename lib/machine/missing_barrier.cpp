#include "lib/machine/missing_barrier.h"

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/instruction_location.h"

namespace ropewalk::machine {

namespace {

using Where = TriedBarrier::Where;

void put_barrier(ptx::Function& function, u32 before, bool is_jumped, u32 opcode) {
  const u32 operand = u32(function.operands.size());
  function.operands.push_back({.kind = ptx::Operand::Kind::Integer});
  ptx::Instruction barrier;
  barrier.opcode = opcode;
  barrier.first_operand = operand;
  barrier.operand_count = 1;
  function.instructions.insert(function.instructions.begin() + before, barrier);
  const auto shift = [&](u32& instruction) {
    if (instruction > before || (instruction == before && is_jumped)) ++instruction;
  };
  for (ptx::Label& it : function.labels) shift(it.instruction);
  for (ptx::Pragma& it : function.pragmas) shift(it.instruction);
}

bool is_branch(const Code& code, u32 instruction) {
  const StepKind kind = code.steps[code.first_step[instruction]].kind;
  return kind == StepKind::Branch || kind == StepKind::BranchTable;
}

bool accesses_memory(const Code& code, u32 instruction) {
  for (u32 s = code.first_step[instruction]; s < code.first_step[instruction + 1]; ++s) {
    if (code.steps[s].memory) return true;
  }
  return false;
}

// The instructions that have a barrier before them, and whether jumps lead past it.
std::map<u32, bool> instructions_behind(const std::vector<BarrierPoint>& points) {
  std::map<u32, bool> out;
  for (const BarrierPoint& point : points) {
    for (const u32 before : point.before) out.try_emplace(before, point.is_jumped);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Code> with_barriers(const Code& code, const std::vector<BarrierPoint>& points, bool fp_contract,
                                          bool is_cooperative) {
  std::shared_ptr<const ptx::Module> module = code.module;
  const u32 opcode = u32(std::ranges::find(module->opcodes, "bar.sync", &ptx::Opcode::text) - module->opcodes.begin());
  if (opcode == module->opcodes.size()) {
    auto with_opcode = std::make_shared<ptx::Module>(*module);
    with_opcode->opcodes.emplace_back("bar.sync");
    module = std::move(with_opcode);
  }
  ptx::Function function = code.function;
  const std::map<u32, bool> behind = instructions_behind(points);
  for (auto it = behind.rbegin(); it != behind.rend(); ++it) put_barrier(function, it->first, it->second, opcode);
  try {
    return make_code(std::move(module), function, fp_contract, is_cooperative);
  } catch (const InputError&) {
    return nullptr;
  }
}

u32 step_without(const std::vector<BarrierPoint>& points, u32 step, const Code& with, const Code& without) {
  if (step == no_value) return step;
  const u32 instruction = with.steps[step].instruction;
  u32 barriers = 0;
  for (const auto& [before, is_jumped] : instructions_behind(points)) {
    if (before + barriers >= instruction) break;
    ++barriers;
  }
  const u32 same = instruction - barriers;
  return std::min(without.first_step[same] + (step - with.first_step[instruction]), without.first_step[same + 1] - 1);
}

BarrierSearch::BarrierSearch(const Code& code, FoundWith found_with)
    : code_(code),
      found_with_(std::move(found_with)),
      statement_of_(statements_of_source(code)),
      loops_(loops_of(code.flow)) {}

BarrierSearch::Kind BarrierSearch::kind_of(const Occurrence& found) const {
  const auto statement_of = [&](u32 step) { return statement_of_[code_.steps[step].instruction]; };
  std::set<u32> statements;
  if (found.step != no_value) statements.insert(statement_of(found.step));
  if (is_race(found) && found.other_step != no_value) statements.insert(statement_of(found.other_step));
  return {found.rule, found.window, found.variable, std::move(statements)};
}

// The first access of the statement that makes this one, in each of its copies.
std::vector<u32> BarrierSearch::beginnings_of(u32 access) const {
  const auto stem_of = [&](u32 n) { return code_.module->opcode(code_.function.instructions[n]).stem; };
  const auto is_of_statement = [&](u32 n) {
    return statement_of_[n] == statement_of_[access] && accesses_memory(code_, n);
  };
  std::vector<u32> out;
  for (const ptx::Block& block : code_.flow.blocks) {
    std::optional<u32> first;
    bool has_it = false;
    for (u32 n = block.first; n < block.last; ++n) {
      if (!is_of_statement(n)) continue;
      if (!first) first = n;
      has_it |= stem_of(n) == stem_of(access);
    }
    if (has_it) out.push_back(*first);
  }
  return out;
}

// The points where somebody would put one for this access, given that the other side of the race is there.
void BarrierSearch::add_points(std::vector<BarrierPoint>& points, u32 access, u32 other) const {
  const std::vector<ptx::Block>& blocks = code_.flow.blocks;
  const u32 block = code_.flow.block_of[access];
  const auto add = [&](BarrierPoint point) {
    const auto is_it = [&](const BarrierPoint& it) {
      return it.before == point.before && it.is_jumped == point.is_jumped;
    };
    point.access = access;
    if (std::ranges::none_of(points, is_it)) points.push_back(point);
  };
  std::vector<u32> places;
  for (const u32 n : beginnings_of(access)) places.push_back(ptx::branch_around(code_.flow, loops_, n));
  add({.where = Where::Before, .before = std::move(places)});
  const auto size = [](const ptx::Loop& loop) { return std::ranges::count(loop.has, true); };
  const ptx::Loop *around = nullptr, *around_both = nullptr;  // the outermost, the innermost
  for (const ptx::Loop& loop : loops_) {
    if (!loop.has[block]) continue;
    const bool has_both = loop.has[code_.flow.block_of[other]];
    if (!has_both && (!around || size(loop) > size(*around))) around = &loop;
    if (has_both && (!around_both || size(loop) < size(*around_both))) around_both = &loop;
  }
  if (around_both) {
    const u32 back = blocks[around_both->back].last - 1;
    if (is_branch(code_, back)) add({.where = Where::EndOfLoop, .before = {back}, .branch_back = back});
  }
  if (!around) return;
  std::vector<u32> ways_in;
  for (u32 b = 0; b < blocks.size(); ++b) {
    if (!around->has[b] && std::ranges::count(blocks[b].successors, around->first)) ways_in.push_back(b);
  }
  if (ways_in.size() != 1 || blocks[ways_in[0]].first == blocks[ways_in[0]].last) return;
  const u32 last = blocks[ways_in[0]].last - 1;
  const bool branches = is_branch(code_, last);
  add({.where = Where::BeforeLoop,
       .before = {branches ? last : last + 1},
       .is_jumped = !branches,
       .branch_back = blocks[around->back].last - 1});
}

// Those before a loop first: inside it threads may go round differently often. Then those before an access.
std::vector<BarrierPoint> BarrierSearch::points_for(const std::vector<Collected*>& races) const {
  std::vector<BarrierPoint> points;
  for (const Collected* race : races) {
    const u32 later = code_.steps[race->example.step].instruction;
    const u32 earlier = code_.steps[race->example.other_step].instruction;
    // In two arms of a branch: a barrier in one of them is not where all threads pass.
    const auto leads_to = [&](u32 from, u32 to) { return bool(ptx::reached(code_.flow, {from})[to]); };
    if (!leads_to(earlier, later) && !leads_to(later, earlier)) continue;
    add_points(points, later, earlier);
    add_points(points, earlier, later);
  }
  std::ranges::stable_sort(points, {}, [](const BarrierPoint& it) {
    return it.where == Where::BeforeLoop ? 0 : it.where == Where::Before ? 1 : 2;
  });
  return points;
}

// nullopt: with barriers there, it does not run as it should.
std::optional<BarrierSearch::Kinds> BarrierSearch::left_with(const std::vector<BarrierPoint>& points) {
  const auto found = found_with_(points);
  if (!found) return std::nullopt;
  Kinds left;
  for (const Occurrence& it : *found) {
    if (!is_race(it) && !rules_before_.contains(it.rule) && !points.empty()) return std::nullopt;
    if (points.empty()) rules_before_.insert(it.rule);
    left.insert(kind_of(it));
  }
  return left;
}

std::vector<BarrierSearch::Trial> BarrierSearch::trials_of(const std::vector<std::vector<BarrierPoint>>& choices) {
  std::vector<Trial> trials;
  for (const std::vector<BarrierPoint>& points : choices) {
    if (std::optional<Kinds> left = left_with(points)) trials.push_back({points, std::move(*left)});
  }
  return trials;
}

// Ever the trial that ends most of what is not explained yet.
void BarrierSearch::settle(const std::vector<Trial>& trials, std::vector<Collected*>& races,
                           const std::vector<Collected*>& reads) const {
  const auto ends = [&](const Trial& trial, const Collected* it) {
    const Kind kind = kind_of(it->example);
    return before_.contains(kind) && !trial.left.contains(kind);
  };
  const auto ended_by = [&](const Trial& trial) {
    return std::ranges::count_if(races, [&](const Collected* it) { return ends(trial, it); });
  };
  while (!races.empty()) {
    const auto best = std::ranges::max_element(trials, [&](const Trial& a, const Trial& b) {
      return std::tuple(ended_by(a), b.left.size()) < std::tuple(ended_by(b), a.left.size());
    });
    if (best == trials.end() || ended_by(*best) == 0) return;
    // At the end of the loop instead.
    const auto other = std::ranges::find_if(trials, [&](const Trial& it) {
      return it.points.back().where == Where::EndOfLoop && best->points.back().where == Where::Before &&
             it.points.size() == 1 && best->points.size() == 1 && it.left == best->left;
    });
    const auto give = [&](Collected* it) {
      if (!ends(*best, it) || !it->barriers.empty()) return false;
      it->barriers = best->points;
      if (other != trials.end()) it->other_barrier = other->points.back();
      return true;
    };
    std::erase_if(races, give);
    for (Collected* read : reads) give(read);
  }
}

void BarrierSearch::find(std::vector<Collected*> races, const std::vector<Collected*>& reads) {
  constexpr std::size_t most_points = 12, most_of_a_race = 5;
  const std::optional<Kinds> before = left_with({});
  if (!before) return;
  before_ = *before;
  std::erase_if(races, [&](const Collected* it) { return !before_.contains(kind_of(it->example)); });
  const std::vector<BarrierPoint> points = points_for(races);
  if (points.size() > most_points) return;
  std::vector<std::vector<BarrierPoint>> choices;
  for (const BarrierPoint& point : points) choices.push_back({point});
  settle(trials_of(choices), races, reads);
  if (races.empty()) return;
  // As where a tile is neither waited for nor kept until all have read it.
  const std::vector<BarrierPoint> two = points_for({races.front()});
  if (two.size() > most_of_a_race) return;
  choices.clear();
  for (std::size_t n = 0; n < two.size(); ++n) {
    for (std::size_t k = n + 1; k < two.size(); ++k) {
      choices.push_back({two[n], two[k]});
      std::ranges::sort(choices.back(), {}, &BarrierPoint::before);
    }
  }
  settle(trials_of(choices), races, reads);
}

}  // namespace ropewalk::machine
