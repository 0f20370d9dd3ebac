#include "lib/machine/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "lib/base/random.h"
#include "lib/machine/careful.h"
#include "lib/machine/device_time.h"
#include "lib/machine/fast.h"
#include "lib/machine/handlers/control.h"

namespace ropewalk::machine {

namespace {

// Instructions between looks at the clock: slow ones (atomics of all lanes, matrices) take microseconds each, and where
// the order of events is followed all do. Who may wait for a time is looked at as often.
constexpr i64 longest_slice = i64(1) << 17, longest_short_slice = i64(1) << 13;
constexpr i64 default_budget = i64(1) << 40;  // of one context; the clock is what usually ends a loop

i64 budget_of(const LaunchState& launch) { return launch.budget ? i64(launch.budget) : default_budget; }

std::unique_ptr<std::byte[], void (*)(void*)> register_area(u64 bytes) {
  auto* at = static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096));
  return {at, [](void* p) { std::free(p); }};
}

}  // namespace

u32 warps_per_group(u32 block_warps) { return block_warps >= 4 || block_warps == 3 ? 4 : block_warps; }

Worker::Worker(LaunchState& launch)
    : launch_(launch),
      owners_(launch.launch, launch.memory),
      absences_(*launch.code, launch.options.source_lines),
      missed_at_(launch.code->steps.size()) {
  block_.launch = &launch;
  block_.owners = &owners_;
  block_.collector = &collector_;
  block_.undefined_stores = &undefined_stores_;
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
  block_.shadow.resize(block_.shared_bytes, code.shared_granule);
  if (launch.options.count || launch.options.coverage) block_.branches.resize(code.steps.size());
  block_.absences = &absences_;
  if (launch.track_trails) block_.trails.resize(std::size_t(block_.warps) * lanes_per_warp);
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
  block_.atomic_bytes.resize(launch.memory.windows().size());
}

Worker::~Worker() = default;

i64 Worker::slice() const {
  const bool is_short = launch_.order || launch_.code->reads_clock;
  return std::min(is_short ? longest_short_slice : longest_slice, budget_of(launch_));
}

void Worker::enter(u64 number) {
  const Dim3& grid = launch_.launch.grid;
  watch_.reset();
  block_.number = number;
  block_.index[0] = u32(number % grid.x);
  block_.index[1] = u32(number / grid.x % grid.y);
  block_.index[2] = u32(number / grid.x / grid.y);
  // Time goes on from block to block, so that what the shadow knows of earlier blocks is past.
  if (++block_.time > SharedShadow::latest_time / 2) {
    block_.shadow.resize(block_.shared_bytes, launch_.code->shared_granule);
    block_.time = 1;
  }
  block_.full_time = block_.time;
  if (block_.shared_bytes) {
    std::fill(block_.shared_initialized.begin(), block_.shared_initialized.end(), 0);
    std::fill(block_.shared_poisoned.begin(), block_.shared_poisoned.end(), 0);
    std::fill(block_.shared_in_flight.begin(), block_.shared_in_flight.end(), 0);
    // Cooperative groups count on zeros in what the system keeps: nothing else initialises their barriers there.
    const u64 reserved = launch_.code->reserved_shared_bytes;
    std::fill_n(block_.shared.begin(), reserved, std::byte{});
    std::fill_n(block_.shared_initialized.begin(), reserved / 64, ~u64(0));
  }
  block_.unwritten.clear();
  undefined_stores_.begin_block();
  block_.undefined_bytes.clear();
  block_.bases.clear();
  block_.last_base = 0;
  block_.ranges.clear();
  block_.wraps.clear();
  block_.copies.clear();
  block_.origins.clear();
  std::fill(block_.trails.begin(), block_.trails.end(), Trail());
  std::fill(block_.committed.begin(), block_.committed.end(), 0);
  block_.log.clear();
  if (launch_.order) {
    block_.order =
        std::make_unique<order::BlockOrder>(number, block_.warps * lanes_per_warp, launch_.code->shared_granule);
  }
  block_.reads_by_chunk = launch_.reads_by_chunk && launch_.fast;
  block_.read_by_chunk = block_.needs_rerun = block_.met_settled = false;
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
    context->budget = slice();
    context->slices = 0;
    context->poll = context->wait_version = 0;
    context->forced = nullptr;
    context->times_forced = 0;
    context->awaited.clear();
    context->open.clear();
    context->shadow = nullptr;
    context->windows = launch_.memory.windows().data();
    context->window_indices = launch_.memory.indices().data();
    context->window_numbers = launch_.memory.indices().size();
    context->parameters = launch_.memory.parameters().data();
    context->parameter_bytes = launch_.memory.parameters().size();
    context->local_bytes = launch_.code->local_bytes;
    context->local = group.local.get();
    context->local_initialized = group.local_initialized.data();
    std::fill(group.local_initialized.begin(), group.local_initialized.end(), 0);
    for (u32 w = 0; w < max_warps; ++w) {
      const u32 first = group.first_thread + w * lanes_per_warp;
      const u32 lanes =
          w >= warps_per_group_ || first >= block_.threads ? 0 : std::min(lanes_per_warp, block_.threads - first);
      context->bits[w] = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
      context->live[w] = context->bits[w];
    }
    context->unpack_mask();
    if (launch_.fast) {
      context->program = launch_.fast.get();
      context->registers = group.fast.get();
      context->op = launch_.fast->ops.data();
      launch_.fast->enter_block(group.fast.get(), block_.index, block_.number, launch_.launch);
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
  program.enter_block(group.careful.get(), block_.index, block_.number, launch_.launch);
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
        group.shadow->set_whole(value, w, lane, UnwrittenReads::a_register);
      }
    }
  }
}

void Worker::continue_carefully(Context& context) {
  // The checks know of reads by granule only.
  block_.needs_rerun |= block_.read_by_chunk;
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
    careful.enter_block(group.careful.get(), block_.index, block_.number, launch_.launch);
    // One in which nothing was ever noted is as good as a new one.
    if (!group.shadow || !group.shadow->is_untouched()) {
      group.shadow = std::make_unique<Shadow>(careful, launch_.track_origins);
    }
    group.shadow_of = block_.number + 1;
  }
  for (u32 i = 0; i < careful.code->values.size(); ++i) {
    const Value& value = careful.code->values[i];
    if (value.source != Value::Source::Register && value.source != Value::Source::Temporary) continue;
    for (u32 w = 0; w < context.warps; ++w) {
      if (context.live[w] == 0) continue;
      std::memcpy(group.careful.get() + careful.offset[i] + w * careful.pitch[i],
                  context.registers + fast.offset[i] + w * fast.pitch[i], value.size * lanes_per_warp);
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
      if (context.stop != Stop::Careful) return;
      // The careful tier knows barriers of the whole block alone: what else orders accesses to shared memory is
      // followed in turns. Those to global memory are judged when all have run, in either tier.
      if (launch_.code->orders_shared && launch_.options.checks.has(Check::Races)) {
        end_ = End::NeedsOrder;
        return;
      }
      continue_carefully(context);
    }
    if (block_.needs_rerun || context.stop != Stop::Running) return;
    const CarefulRun run = run_careful(context, may_go_back(context));
    careful_steps_ += run.steps;
    if (!run.goes_back) return;
    continue_fast(context);
  }
}

Worker::End Worker::run(u64 number) {
  start(number);
  for (;;) {
    switch (turn(true)) {
      case Turn::Done:
        return End::None;
      case Turn::Ended:
        return end_;
      case Turn::Ran:
        break;
      // Nobody else runs who could change anything for those that wait.
      case Turn::Waits:
        return End::NeedsOrder;
    }
  }
}

void Worker::start(u64 number) {
  enter(number);
  start_contexts();
  instructions_left_ = budget_of(launch_);
  for (; used_barriers_; used_barriers_ &= used_barriers_ - 1) meetings_[__builtin_ctz(used_barriers_)] = {};
  crossings_.clear();
  end_ = End::None;
}

Worker::Turn Worker::turn(bool again) {
  bool ran = false;
  const std::size_t count = contexts_.size();
  const u64 drawn = launch_.order ? launch_.order->draw_turns() : 0;
  for (std::size_t n = 0; n < contexts_.size(); ++n) {
    // Those that are made meanwhile come last.
    const std::size_t i = n >= count ? n : (((drawn & 1) ? count - 1 - n : n) + (drawn >> 1)) % count;
    Context& context = *contexts_[i];
    if (context.stop == Stop::Waiting &&
        (launch_.order->version != context.wait_version || (again && !context.is_stuck))) {
      context.stop = Stop::Running;
    }
    if (context.stop != Stop::Running) continue;
    run_context(context);
    if (block_.needs_rerun) end_ = End::NeedsRerun;
    ran = true;
    if (end_ == End::None) end_ = settle(i);
    if (end_ != End::None) return Turn::Ended;
  }
  const bool done =
      std::all_of(contexts_.begin(), contexts_.end(), [](const auto& c) { return c->stop == Stop::Done; });
  if (!done) return open_barriers() || ran ? Turn::Ran : Turn::Waits;
  races_.add_block(block_, collector_, launch_);
  return Turn::Done;
}

Worker::End Worker::settle(std::size_t number) {
  Context& context = *contexts_[number];
  switch (context.stop) {
    case Stop::Refused:
      return End::Refused;
    case Stop::Trap:
      report_trap(context);
      return End::Trap;
    case Stop::Barrier:
      arrive(number);
      return End::None;
    case Stop::Lanes:
      gather_lanes(number);
      return End::None;
    case Stop::Wait:
      wait_for_change(context);
      return End::None;
    case Stop::Yield:
      context.stop = Stop::Running;
      return End::None;
    case Stop::Budget:
      return go_on(number);
    default:
      return End::None;
  }
}

// Who does nothing but look at the clock waits for a time. Where time stands still it is moved only for who comes to
// ever other states.
void Worker::pass_time(const Context& context, bool is_new) {
  constexpr i64 most_between = 64;  // instructions, for each look
  if (!launch_.code->reads_clock) return;
  const bool only_looks = i64(device_time.take_looks()) * most_between > slice();
  if (!only_looks) {
    if (launch_.order) ++launch_.order->slices;
  } else if (!device_time.stands()) {
    // Where the order is followed, others that this one waits for work meanwhile.
    const u64 doubled = launch_.order ? std::min<u64>(context.slices, 14) : std::min<u64>(3 * context.slices, 18);
    device_time.advance(u64(slice()) << doubled);
  } else if (is_new) {
    device_time.advance(u64(1) << std::min(12 + 4 * u32(std::bit_width(context.slices)), 50u));
  }
}

// A context that ran for a slice of its budget: it waits, or goes on with another one.
Worker::End Worker::go_on(std::size_t number) {
  Context& context = *contexts_[number];
  instructions_left_ -= slice();
  if (!watch_) watch_.emplace();
  if (instructions_left_ <= 0 || launch_.options.is_stopped() || watch_->is_past(launch_.seconds)) {
    block_.refusal_step = context.op->step;
    return End::Unfinished;
  }
  ++context.slices;
  // Looked at ever more rarely, for that costs more than running, and not before time has gone far: whoever waits for a
  // time comes back as well.
  const u64 first_look = launch_.code->reads_clock && !launch_.order ? 8 : 4;
  const bool looks = (context.slices & (context.slices - 1)) == 0 && context.slices >= first_look;
  const bool gets_on = looks && gets_on_in_time(context);
  const bool is_back = looks && !gets_on && comes_back(context);
  pass_time(context, looks && !is_back);
  if (gets_on) context.slices = 0;
  context.budget = slice();
  if (end_ != End::None) return end_;
  if (is_back) {
    if (!launch_.order) return End::NeedsOrder;
    context.polled = {};
    wait_for_change(context, true);
  } else if (context.stop == Stop::Budget) {
    context.stop = Stop::Running;
  } else if (context.stop != Stop::Running) {
    return settle(number);
  }
  return End::None;
}

std::vector<std::unique_ptr<Context>> Worker::parts_by_warp(const Context& whole) const {
  std::vector<std::unique_ptr<Context>> parts;
  for (u32 w = 0; w < whole.warps; ++w) {
    if (whole.live[w] == 0) continue;
    parts.push_back(std::make_unique<Context>(whole));
    Context& part = *parts.back();
    for (u32 other = 0; other < max_warps; ++other) {
      if (other == w) continue;
      part.bits[other] = part.live[other] = part.arrived[other] = 0;
      for (Divergence& open : part.open) open.join_bits[other] = open.pending_bits[other] = 0;
    }
    part.unpack_mask();
    // A warp of which nobody is active goes on where others of it are; one that is not at the barrier as a whole comes
    // to it again.
    if (part.stop == Stop::Barrier && part.arrived[w] == part.live[w]) continue;
    part.stop = Stop::Running;
    if (part.bits[w] == 0) part.op = control::resume(part);
  }
  return parts;
}

// Each warp goes its own way from now on: what the fast tier keeps once for all of them they would change in turn.
void Worker::split(std::size_t number) {
  Context& whole = *contexts_[number];
  const Stop why = whole.stop;
  if (whole.program->tier == Tier::Fast) continue_carefully(whole);
  whole.stop = why;
  auto parts = parts_by_warp(whole);
  contexts_[number] = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) contexts_.push_back(std::move(parts[i]));
}

}  // namespace ropewalk::machine
