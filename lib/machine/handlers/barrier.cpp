// Barriers of the block, prints and assertions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/handlers/warp.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/local_memory.h"

namespace ropewalk::machine::warp_wide {

const Op* barrier(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const Program& program = *context.program;
  u32 warp = 0;
  while (context.bits[warp] == 0) ++warp;
  const u32 lane = u32(__builtin_ctz(context.bits[warp]));
  context.barrier = program.lanes<u32>(context.registers, step.a, warp)[lane];
  context.barrier_count = step.b == no_value ? 0 : program.lanes<u32>(context.registers, step.b, warp)[lane];
  if (context.barrier > 15 || context.barrier_count % lanes_per_warp != 0) {
    context.block->refusal = context.barrier > 15
                                 ? fmt::format("barrier {}: a block has barriers 0 to 15", context.barrier)
                                 : fmt::format("a barrier for {} threads: the count is a multiple of {}",
                                               context.barrier_count, lanes_per_warp);
    context.block->refusal_step = op->step;
    context.stop = Stop::Refused;
    context.op = op;
    return nullptr;
  }
  context.barrier_arrive_only = std::get<BarrierMode>(step.mode) == BarrierMode::Arrive;
  context.barrier_step = op->step;
  for (u32 w = 0; w < max_warps; ++w) context.arrived[w] = context.bits[w];
  context.stop = Stop::Barrier;
  context.op = op;
  return nullptr;
}

namespace {

// Addresses that a kernel passes to vprintf or __assertfail: strings are module variables.
std::string string_at(const Memory& memory, u64 address) {
  const Window* window = memory.find(address);
  std::string text;
  if (!window || address < window->base) return "?";
  for (u64 at = address - window->base; at < window->bytes; ++at) {
    const char c = char(window->data[at]);
    if (c == 0) break;
    text += c;
  }
  return text;
}

// Where an assertion stands, by what the kernel says of it. Triton knows no functions and says "unknown".
std::string function_of(const Launch& launch, std::string said) {
  if (said != "unknown") return said;
  return launch.kernel_name.empty() ? launch.entry : launch.kernel_name;
}

// As a device says it.
std::string thread_text(const Block& block, u32 thread) {
  const auto coordinates = [](const Dim3& size, u64 number) {
    return fmt::format("[{},{},{}]", number % size.x, number / size.x % size.y, number / size.x / size.y);
  };
  const Launch& launch = block.launch->launch;
  return fmt::format("block: {}, thread: {}", coordinates(launch.grid, block.number),
                     coordinates(launch.block, thread));
}

u64 local_value(const Context& context, u32 offset, u32 warp, u32 lane, u32 bytes) {
  u64 value = 0;
  if (offset + bytes > context.program->code->local_bytes) return 0;
  local_load(context, offset, warp, lane, reinterpret_cast<std::byte*>(&value), bytes);
  return value;
}

constexpr i32 most_width = 1 << 12;  // of what printf pads

// What one of printf's conversions makes of a value.
template <class Value>
std::string converted(const std::string& conversion, Value value) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  std::string out(std::size_t(std::max(length, 0)) + 1, ' ');
  std::snprintf(out.data(), out.size(), conversion.c_str(), value);
  out.pop_back();
  return out;
}

// What is printed that nobody wrote matters.
void note_printed(const Context& context, u32 step, u32 offset, u32 warp, u32 lane, u32 bytes) {
  if (offset + bytes > context.program->code->local_bytes || local_initialized(context, offset, warp, lane, bytes))
    return;
  const auto& undefined = context.block->undefined_bytes;
  const u64 thread = context.first_thread + warp * lanes_per_warp + lane;
  Mark mark;
  for (u32 byte = 0; byte < bytes; ++byte) {
    const auto stored = undefined.find(AccessEvent::own_byte(thread, offset + byte));
    if (stored == undefined.end() || local_initialized(context, offset + byte, warp, lane, 1)) continue;
    mark.bits |= u64(stored->second.bits) << (8 * byte);
    mark.sources[byte] = stored->second.source;
  }
  careful::note_use(context, step, warp, lane, mark, "is printed");
}

// printf's conversions with arguments from a buffer in local memory, each aligned to its size (CUDA's vprintf).
std::string format_print(const Context& context, u32 step, const std::string& format, u64 buffer, u32 warp, u32 lane) {
  std::string out;
  u32 at = u32(buffer - (window_of(buffer) == local_window ? generic_base(local_window) : 0));
  const auto next = [&](u32 size) {
    at = (at + size - 1) / size * size;
    at += size;
    note_printed(context, step, at - size, warp, lane, size);
    return local_value(context, at - size, warp, lane, size);
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    bool is_long = false;
    for (++i; i < format.size() && !std::strchr("diouxXcfFeEgGaAps%", format[i]); ++i) {
      is_long |= format[i] == 'l' || format[i] == 'z' || format[i] == 'j' || format[i] == 't';
      if (format[i] == '*')
        spec += fmt::format("{}", std::clamp(i32(next(4)), -most_width, most_width));
      else if (!std::strchr("lhzjt", format[i]))
        spec += format[i];
    }
    if (i == format.size()) break;
    const char conversion = format[i];
    if (conversion == '%') {
      out += '%';
      continue;
    }
    const bool is_double = std::strchr("fFeEgGaA", conversion) != nullptr;
    const bool is_wide = is_double || is_long || conversion == 'p' || conversion == 's';
    const u64 bits = next(is_wide ? 8 : 4);
    if (is_double)
      out += converted(spec + conversion, __builtin_bit_cast(double, bits));
    else if (conversion == 's')
      out += converted(spec + 's', string_at(context.block->launch->memory, bits).c_str());
    else if (conversion == 'd' || conversion == 'i')
      out += converted(spec + "lld", is_wide ? (long long)(bits) : (long long)(i32(bits)));
    else if (conversion == 'p')
      out += converted(spec + 'p', reinterpret_cast<const void*>(bits));
    else if (conversion == 'c')
      out += converted(spec + 'c', int(bits));
    else
      out += converted(spec + "ll" + conversion, (unsigned long long)(bits));
  }
  return out;
}

}  // namespace

const Op* print(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      if (step.targets.size() < 2) continue;
      const u64 format = local_value(context, step.targets[0], warp, lane, 8);
      const u64 buffer = local_value(context, step.targets[1], warp, lane, 8);
      context.block->collector->print(
          context.block->number,
          format_print(context, op->step, string_at(context.block->launch->memory, format), buffer, warp, lane));
    }
  }
  return op + 1;
}

const Op* assert_fail(Context& context, const Op* op) {
  const Step& step = step_of(context, op);
  const Memory& memory = context.block->launch->memory;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    for (u32 bits = context.bits[warp]; bits; bits &= bits - 1) {
      const u32 lane = u32(__builtin_ctz(bits));
      Occurrence out;
      out.rule = Rule::DeviceAssert;
      out.step = op->step;
      out.block = context.block->number;
      out.thread = context.first_thread + warp * lanes_per_warp + lane;
      if (step.targets.size() >= 4) {
        const auto text = [&](u32 n) {
          return string_at(memory, local_value(context, step.targets[n], warp, lane, 8));
        };
        const std::string condition = text(0), file = text(1);
        const std::string function = function_of(context.block->launch->launch, text(3));
        const u64 line = local_value(context, step.targets[2], warp, lane, 4);
        out.detail = fmt::format("assertion `{}` failed at {}:{} in {}", condition, file, line, function);
        context.block->collector->complain(out.block,
                                           fmt::format("{}:{}: {}: {} Assertion `{}` failed.\n", file, line, function,
                                                       thread_text(*context.block, out.thread), condition));
      } else {
        out.detail = "a device assertion failed";
      }
      context.block->collector->report(out);
    }
  }
  // The assertion stops these lanes; the others go on, so that one run shows all defects.
  u32 leaving[max_warps];
  for (u32 w = 0; w < max_warps; ++w) leaving[w] = context.bits[w];
  return control::leave(context, leaving, op);
}

}  // namespace ropewalk::machine::warp_wide
