#include "lib/machine/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "lib/machine/careful.h"
#include "lib/machine/fast.h"
#include "lib/machine/handlers/control.h"

namespace ropewalk::machine {

namespace {

// Instructions between looks at the clock: slow ones (atomics of all lanes, matrices) take microseconds each.
constexpr i64 longest_slice = i64(1) << 17;
constexpr i64 default_budget = i64(1) << 40;   // of one context; the clock is what usually ends a loop

i64 budget_of(const RunOptions& options) { return options.budget ? i64(options.budget) : default_budget; }

// What a context may run before somebody looks at its budget and the clock.
i64 slice_of(const RunOptions& options) { return std::min(longest_slice, budget_of(options)); }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<std::byte[], void (*)(void*)> register_area(u64 bytes) {
  auto* at = static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096));
  return {at, [](void* p) { std::free(p); }};
}

}  // namespace

u32 warps_per_group(u32 block_warps) { return block_warps >= 4 || block_warps == 3 ? 4 : block_warps; }

Worker::Worker(LaunchState& launch) : launch_(launch), owners_(launch.launch, launch.memory) {
  block_.launch = &launch;
  block_.owners = &owners_;
  block_.collector = &collector_;
  block_.threads = u32(launch.launch.block.count());
  block_.warps = (block_.threads + lanes_per_warp - 1) / lanes_per_warp;
  warps_per_group_ = launch.careful->warps;
  const Code& code = *launch.code;
  block_.shared_bytes = code.dynamic_shared_offset + launch.launch.dynamic_shared_bytes;
  block_.shared.resize(block_.shared_bytes + 64);
  const std::size_t words = (block_.shared_bytes + 63) / 64 + 1;
  block_.shared_initialized.resize(words);
  block_.shared_poisoned.resize(words);
  block_.shared_in_flight.resize(words);
  block_.shadow.resize(block_.shared_bytes, code.shared_granule, code.uses_warp_barriers);
  block_.warp_sync.resize(block_.warps);
  if (launch.options.count || launch.options.coverage) block_.branches.resize(code.steps.size());
  if (launch.track_last_steps) block_.last_step.resize(std::size_t(block_.warps) * lanes_per_warp);
  block_.committed.resize(std::size_t(block_.warps) * lanes_per_warp);
  const u32 count = (block_.warps + warps_per_group_ - 1) / warps_per_group_;
  groups_.resize(count);
  for (u32 g = 0; g < count; ++g) {
    Group& group = groups_[g];
    group.first_thread = g * warps_per_group_ * lanes_per_warp;
    if (launch.fast) {
      group.fast = register_area(launch.fast->register_bytes);
      launch.fast->prepare(group.fast.get(), group.first_thread, launch.launch);
    }
    if (code.local_bytes) {
      const u64 bytes = code.local_bytes * warps_per_group_ * lanes_per_warp;
      group.local = std::make_unique<std::byte[]>(bytes + 64);
      group.local_initialized.resize(bytes / 64 + 1);
    }
  }
  block_.stored_bytes.resize(launch.memory.windows().size());
  deadline_ = now() + launch.options.seconds;
}

Worker::~Worker() = default;

void Worker::enter(u64 number) {
  const Dim3& grid = launch_.launch.grid;
  block_.number = number;
  block_.index[0] = u32(number % grid.x);
  block_.index[1] = u32(number / grid.x % grid.y);
  block_.index[2] = u32(number / grid.x / grid.y);
  // Time goes on from block to block, so that what the shadow knows of earlier blocks is past.
  if (++block_.time > SharedShadow::latest_time / 2) {
    block_.shadow.resize(block_.shared_bytes, launch_.code->shared_granule, launch_.code->uses_warp_barriers);
    block_.time = 1;
  }
  block_.full_time = block_.time;
  if (block_.shared_bytes) {
    std::fill(block_.shared_initialized.begin(), block_.shared_initialized.end(), 0);
    std::fill(block_.shared_poisoned.begin(), block_.shared_poisoned.end(), 0);
    std::fill(block_.shared_in_flight.begin(), block_.shared_in_flight.end(), 0);
  }
  block_.unwritten.clear();
  block_.undefined_bytes.clear();
  block_.copies.clear();
  block_.synced.clear();
  block_.origins.clear();
  std::fill(block_.last_step.begin(), block_.last_step.end(), 0);
  std::fill(block_.committed.begin(), block_.committed.end(), 0);
  std::fill(block_.warp_sync.begin(), block_.warp_sync.end(), 0);
  block_.log.clear();
  block_.reads_by_chunk = launch_.reads_by_chunk && launch_.fast;
  block_.read_by_chunk = block_.disputed = false;
}

void Worker::start_contexts() {
  while (!contexts_.empty()) {
    spare_.push_back(std::move(contexts_.back()));
    contexts_.pop_back();
  }
  for (Group& group : groups_) {
    std::unique_ptr<Context> context;
    if (spare_.empty()) {
      context = std::make_unique<Context>();
    } else {
      context = std::move(spare_.back());
      spare_.pop_back();
    }
    context->block = &block_;
    context->warps = warps_per_group_;
    context->first_thread = group.first_thread;
    context->stop = Stop::Running;
    context->budget = slice_of(launch_.options);
    context->open.clear();
    context->shadow = nullptr;
    context->windows = launch_.memory.windows().data();
    context->window_count = launch_.memory.windows().size();
    context->parameters = launch_.memory.parameters().data();
    context->parameter_bytes = launch_.memory.parameters().size();
    context->local_bytes = launch_.code->local_bytes;
    context->local = group.local.get();
    context->local_initialized = group.local_initialized.data();
    std::fill(group.local_initialized.begin(), group.local_initialized.end(), 0);
    for (u32 w = 0; w < max_warps; ++w) {
      const u32 first = group.first_thread + w * lanes_per_warp;
      const u32 lanes = w >= warps_per_group_ || first >= block_.threads ? 0 : std::min(lanes_per_warp, block_.threads - first);
      context->bits[w] = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
      context->live[w] = context->bits[w];
    }
    context->spread_mask();
    if (launch_.fast) {
      context->program = launch_.fast.get();
      context->registers = group.fast.get();
      context->op = launch_.fast->ops.data();
      launch_.fast->enter_block(group.fast.get(), block_.index);
    } else {
      start_carefully(*context, group);
      context->op = launch_.careful->ops.data();
    }
    contexts_.push_back(std::move(context));
  }
}

void Worker::start_carefully(Context& context, Group& group) {
  const Program& program = *launch_.careful;
  if (!group.careful) group.careful = register_area(program.register_bytes);
  if (!group.careful_prepared) {
    std::memset(group.careful.get(), 0, program.register_bytes);
    program.prepare(group.careful.get(), group.first_thread, launch_.launch);
    group.careful_prepared = true;
  }
  program.enter_block(group.careful.get(), block_.index);
  context.program = &program;
  context.registers = group.careful.get();
  group.shadow = std::make_unique<Shadow>(program, launch_.track_origins);
  group.shadow_of = block_.number + 1;
  context.shadow = group.shadow.get();
  // Registers are undefined until they are written.
  if (launch_.may_be_undefined.empty()) return;
  for (const u32 value : launch_.may_be_undefined) {
    for (u32 w = 0; w < program.warps; ++w) {
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        group.shadow->set(value, w, lane, {undefined, UnwrittenReads::a_register});
      }
    }
  }
}

void Worker::continue_carefully(Context& context) {
  // The checks know of reads by granule only.
  block_.disputed |= block_.read_by_chunk;
  block_.reads_by_chunk = false;
  Group& group = group_of(context);
  const Program& fast = *context.program;
  const Program& careful = *launch_.careful;
  const Op* stopped = context.op;
  // Contexts of one group share its registers and their shadow; what another block left there is past.
  if (group.shadow_of != block_.number + 1) {
    if (!group.careful) group.careful = register_area(careful.register_bytes);
    if (!group.careful_prepared) {
      std::memset(group.careful.get(), 0, careful.register_bytes);
      careful.prepare(group.careful.get(), group.first_thread, launch_.launch);
      group.careful_prepared = true;
    }
    careful.enter_block(group.careful.get(), block_.index);
    group.shadow = std::make_unique<Shadow>(careful, launch_.track_origins);
    group.shadow_of = block_.number + 1;
  }
  for (u32 i = 0; i < careful.code->values.size(); ++i) {
    const Value& value = careful.code->values[i];
    if (value.source != Value::Source::Register && value.source != Value::Source::Temporary) continue;
    for (u32 w = 0; w < context.warps; ++w) {
      if (context.live[w] == 0) continue;
      std::memcpy(group.careful.get() + careful.place[i] + w * careful.pitch[i],
                  context.registers + fast.place[i] + w * fast.pitch[i], value.size * lanes_per_warp);
    }
  }
  const auto moved = [&](u32 index) -> u32 {
    const Op& op = fast.ops[index];
    if (op.run == control::end) return u32(careful.ops.size() - 1);
    if (control::is_marker(op)) return careful.op_of_instruction[careful.code->steps[op.step].instruction];
    return careful.op_of_step[op.step];
  };
  for (Divergence& split : context.open) {
    split.join = moved(split.join);
    split.pending = moved(split.pending);
  }
  context.op = careful.ops.data() + moved(u32(stopped - fast.ops.data()));
  context.program = &careful;
  context.registers = group.careful.get();
  context.shadow = group.shadow.get();
  context.stop = Stop::Running;
}

void Worker::run_context(Context& context) {
  for (;;) {
    if (context.program->tier == Tier::Fast) {
      run_fast(context);
      if (context.stop == Stop::Careful) continue_carefully(context);
      else return;
    }
    if (block_.disputed || context.stop != Stop::Running) return;
    if (!run_careful(context, may_go_back())) return;
    continue_fast(context);
  }
}

Worker::End Worker::run(u64 number) {
  enter(number);
  start_contexts();
  instructions_left_ = budget_of(launch_.options);
  for (;;) {
    bool ran = false;
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      if (contexts_[i]->stop != Stop::Running) continue;
      run_context(*contexts_[i]);
      if (block_.disputed) return End::Disputed;
      ran = true;
      const End end = settle(*contexts_[i]);
      if (end != End::None) return end;
      if (contexts_[i]->stop == Stop::Barrier) arrive(i);
    }
    const bool done = std::all_of(contexts_.begin(), contexts_.end(), [](const auto& c) { return c->stop == Stop::Done; });
    if (done) break;
    if (!open_barriers() && !ran) break;
  }
  races_.add_block(block_, collector_, launch_);
  return End::None;
}

Worker::End Worker::settle(Context& context) {
  switch (context.stop) {
    case Stop::Refused: return End::Refused;
    case Stop::Trap: report_trap(context); return End::Trap;
    case Stop::Budget: {
      instructions_left_ -= slice_of(launch_.options);
      if (instructions_left_ <= 0 || now() > deadline_) {
        report_hang(context);
        return End::Hang;
      }
      context.budget = slice_of(launch_.options);
      context.stop = Stop::Running;
      return End::None;
    }
    default: return End::None;
  }
}

// A context at a barrier: all lanes of its warps that are alive must have come. Warps that are elsewhere get contexts of
// their own.
void Worker::arrive(std::size_t number) {
  Context& context = *contexts_[number];
  bool some_elsewhere = false;
  for (u32 w = 0; w < context.warps; ++w) {
    const u32 live = context.live[w], arrived = context.arrived[w];
    if (live == 0 || arrived == live) continue;
    if (arrived == 0) {
      some_elsewhere = true;
      continue;
    }
    report_partial(context.barrier_step, context.first_thread + w * lanes_per_warp + u32(__builtin_ctz(arrived)),
                   fmt::format("{} of {} threads of a warp come to the barrier, the others are elsewhere",
                               __builtin_popcount(arrived), __builtin_popcount(live)));
    // Nobody can wait for a part of a warp: it goes on as though the barrier were not there.
    context.stop = Stop::Running;
    return;
  }
  if (some_elsewhere) split(number);
}

void Worker::split(std::size_t number) {
  const Context whole = *contexts_[number];
  for (u32 w = 0, made = 0; w < whole.warps; ++w) {
    if (whole.live[w] == 0) continue;
    auto part = std::make_unique<Context>(whole);
    for (u32 other = 0; other < max_warps; ++other) {
      if (other == w) continue;
      part->bits[other] = part->live[other] = part->arrived[other] = 0;
    }
    for (Divergence& open : part->open) {
      for (u32 other = 0; other < max_warps; ++other) {
        if (other != w) open.join_bits[other] = open.pending_bits[other] = 0;
      }
    }
    part->spread_mask();
    if (whole.arrived[w] == 0) {
      part->stop = Stop::Running;
      part->op = control::resume(*part);
    }
    if (made++ == 0) contexts_[number] = std::move(part);
    else contexts_.push_back(std::move(part));
  }
}

bool Worker::open_barriers() {
  bool running = false;
  std::vector<Context*> waiting[16];
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Running) running = true;
    if (context->stop == Stop::Barrier) waiting[context->barrier % 16].push_back(context.get());
  }
  const auto threads_of = [&](const Context& context) {
    u32 count = 0;
    for (u32 w = 0; w < context.warps; ++w) count += context.arrived[w] ? lanes_per_warp : 0;
    return count;
  };
  u32 alive = 0;
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Done) continue;
    for (u32 w = 0; w < context->warps; ++w) alive += context->live[w] ? lanes_per_warp : 0;
  }
  bool opened = false;
  for (u32 number = 0; number < 16; ++number) {
    if (waiting[number].empty()) continue;
    u32 come = 0, wanted = 0;
    for (const Context* context : waiting[number]) {
      come += threads_of(*context);
      wanted = std::max(wanted, context->barrier_count);
    }
    come += arrived_ahead_[number];
    if (come < (wanted ? wanted : alive)) continue;
    open_barrier(number, waiting[number]);
    opened = true;
  }
  // Those that only arrive do not wait.
  for (u32 number = 0; number < 16; ++number) {
    for (Context* context : waiting[number]) {
      if (context->stop != Stop::Barrier || !context->barrier_arrive_only) continue;
      arrived_ahead_[number] += threads_of(*context);
      context->stop = Stop::Running;
      opened = true;
    }
  }
  if (opened || running) return true;
  // Everybody waits, and nobody will come.
  for (u32 number = 0; number < 16; ++number) {
    if (waiting[number].empty()) continue;
    u32 come = arrived_ahead_[number], wanted = 0;
    for (const Context* context : waiting[number]) {
      come += threads_of(*context);
      wanted = std::max(wanted, context->barrier_count);
    }
    const Context& first = *waiting[number].front();
    report_partial(first.barrier_step, first.first_thread,
                   fmt::format("{} threads wait at barrier {} for {}, and no other thread will come", come, number,
                               wanted ? wanted : alive));
    open_barrier(number, waiting[number]);
    return true;
  }
  return false;
}

void Worker::open_barrier(u32 number, const std::vector<Context*>& waiting) {
  ++block_.time;
  arrived_ahead_[number] = 0;
  u32 come = 0, live = 0;
  bool counted = false;
  for (const Context* context : waiting) {
    for (u32 w = 0; w < context->warps; ++w) come += u32(__builtin_popcount(context->arrived[w]));
    counted |= context->barrier_count != 0;
  }
  for (const auto& context : contexts_) {
    if (context->stop == Stop::Done) continue;
    for (u32 w = 0; w < context->warps; ++w) live += u32(__builtin_popcount(context->live[w]));
  }
  if (!counted && come == live && come < block_.threads) report_absent(*waiting.front());
  reduce_at_barrier(waiting);
  if (come >= live) {
    block_.full_time = block_.time;
    if (!block_.synced.empty()) std::fill(block_.synced.begin(), block_.synced.end(), block_.time);
  } else {
    meet(waiting);
  }
  for (Context* context : waiting) context->stop = Stop::Running;
}

// Part of the block has met: what these warps did, and what they knew of others, is ordered for all of them.
void Worker::meet(const std::vector<Context*>& waiting) {
  const u32 warps = block_.warps;
  if (block_.synced.empty()) block_.synced.assign(std::size_t(warps) * warps, block_.full_time);
  std::vector<u32> here;
  for (const Context* context : waiting) {
    for (u32 w = 0; w < context->warps; ++w) {
      if (context->arrived[w]) here.push_back(context->first_thread / lanes_per_warp + w);
    }
  }
  for (u32 other = 0; other < warps; ++other) {
    u32 latest = 0;
    for (const u32 w : here) latest = std::max(latest, block_.synced[w * warps + other]);
    for (const u32 w : here) block_.synced[w * warps + other] = latest;
  }
  for (const u32 a : here) {
    for (const u32 b : here) block_.synced[a * warps + b] = block_.time;
  }
}

// bar.red: the predicate of all threads that came is counted or combined, and each gets the result.
void Worker::reduce_at_barrier(const std::vector<Context*>& waiting) {
  u32 holding = 0, come = 0;
  bool any = false;
  for (const Context* context : waiting) {
    const Step& step = launch_.code->steps[context->barrier_step];
    if (step.c == no_value) continue;
    any = true;
    for (u32 w = 0; w < context->warps; ++w) {
      const u8* predicate = context->program->lanes<u8>(context->registers, step.c, w);
      for (u32 bits = context->arrived[w]; bits; bits &= bits - 1) {
        ++come;
        holding += predicate[__builtin_ctz(bits)] != 0;
      }
    }
  }
  if (!any) return;
  for (const Context* context : waiting) {
    const Step& step = launch_.code->steps[context->barrier_step];
    if (step.d == no_value) continue;
    for (u32 w = 0; w < context->warps; ++w) {
      for (u32 bits = context->arrived[w]; bits; bits &= bits - 1) {
        const u32 lane = u32(__builtin_ctz(bits));
        if (step.text == "popc") context->program->lanes<u32>(context->registers, step.d, w)[lane] = holding;
        else context->program->lanes<u8>(context->registers, step.d, w)[lane] =
            (step.text == "and" ? holding == come : holding > 0) ? 0xff : 0;
      }
    }
  }
}

}  // namespace ropewalk::machine
