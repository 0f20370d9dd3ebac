#include "lib/machine/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/instruction_location.h"
#include "lib/machine/mbarrier.h"
#include "lib/ptx/provenance.h"
#include "lib/ptx/write.h"

namespace ropewalk::machine {

namespace {

constexpr std::size_t most_elements = 4096;  // of a footprint
constexpr std::size_t most_polled = 4;       // of a hang

class Describer {
 public:
  Describer(const Launch& launch, const Code& code, const std::vector<Window>& windows)
      : launch_(launch), code_(code), windows_(windows) {}

  Finding finding(const Collected& collected) {
    const Occurrence& example = collected.example;
    Finding out;
    out.rule = example.rule;
    out.severity = example.severity;
    out.kernel_name = launch_.kernel_name.empty() ? launch_.entry : launch_.kernel_name;
    out.kernel_entry = code_.function.name;
    out.location = location_of_step(example.step);
    out.occurrences = {collected.accesses, collected.threads.threads(), collected.threads.blocks(), 1,
                       collected.at_least};
    if (example.step != no_value) out.thread = thread_of(example.block, example.thread);
    if (example.has_access) out.access = access(example);
    out.address = example.address;
    if (example.other_step != no_value) {
      out.other_location = location_of_step(example.other_step);
      if (example.rule != Rule::IndexOverflow && example.other_thread != no_value)
        out.other_thread = thread_of(example.other_block, example.other_thread);
    }
    out.across_blocks = collected.across_blocks;
    for (const MissingStep& it : collected.missing_orders)
      out.missing_orders.push_back({what_is_missing(it.is_not), *location_of_step(it.step)});
    for (const BarrierPoint& it : collected.barriers) out.tried_barriers.push_back(tried(it));
    if (collected.other_barrier) out.other_barrier = tried(*collected.other_barrier);
    if (!out.access && !example.name.empty()) {
      out.access.emplace();
      out.access->region = example.name;
      name_index_statement(*out.access, example);
    }
    if (!collected.computed_from.empty()) out.evidence.push_back(computed_from(collected.computed_from));
    for (std::string& line : of_stuck(collected.stuck)) out.evidence.push_back(std::move(line));
    out.footprint = footprint(collected);
    out.message = message(out, collected);
    identify(out);
    return out;
  }

 private:
  static MissingOrder::Is what_is_missing(Assumed assumed) {
    return assumed == assumed_release   ? MissingOrder::Is::Release
           : assumed == assumed_acquire ? MissingOrder::Is::Acquire
                                        : MissingOrder::Is::OfDevice;
  }
  TriedBarrier tried(const BarrierPoint& point) const {
    const bool is_of_loop = point.where != TriedBarrier::Where::Before;
    return {point.where, *location_of(code_, is_of_loop ? point.access : point.before.front()),
            is_of_loop ? location_of(code_, point.branch_back) : std::nullopt};
  }
  std::optional<FindingLocation> location_of_step(u32 step) const {
    if (step == no_value || step >= code_.steps.size()) return entry_location(code_);
    return location_of(code_, code_.steps[step].instruction);
  }

  ThreadId thread_of(u64 block, u32 thread) const {
    ThreadId id;
    id.block[0] = u32(block % launch_.grid.x);
    id.block[1] = u32(block / launch_.grid.x % launch_.grid.y);
    id.block[2] = u32(block / launch_.grid.x / launch_.grid.y);
    id.thread[0] = thread % launch_.block.x;
    id.thread[1] = thread / launch_.block.x % launch_.block.y;
    id.thread[2] = thread / launch_.block.x / launch_.block.y;
    return id;
  }

  const LaunchTensor* tensor_of(u32 window) const {
    const Window& it = windows_[window];
    return it.tensor < 0 ? nullptr : &launch_.tensors[u32(it.tensor)];
  }

  // "x.head_dim" speaks of the tensor x, where the launch has one of that name.
  void name_index_statement(Access& access, const Occurrence& example) const {
    const std::string name = example.name.substr(0, example.name.find('.'));
    for (const LaunchTensor& tensor : launch_.tensors) {
      if (tensor.name != name) continue;
      access.tensor = name;
      access.shape = tensor.shape;
      access.dtype = std::string(name_of(tensor.dtype));
    }
    access.space = "global";
  }

  std::optional<i64> argument_of(const Occurrence& example, const Window& window) {
    if (window.argument >= 0) return window.argument;
    const u32 step = example.rule == Rule::IndexOverflow ? example.other_step : example.step;
    if (step == no_value) return std::nullopt;
    const ptx::Origin& origin = code_.origins[code_.steps[step].instruction];
    return origin.parameter >= 0 ? std::optional<i64>(origin.parameter) : std::nullopt;
  }

  Access access(const Occurrence& example) {
    Access out;
    out.space = std::string(machine::name_of(example.space));
    out.bytes = example.bytes;
    out.byte_offset = example.offset;
    u64 extent = 0;
    if (example.window) {
      const Window& window = windows_[example.window];
      out.tensor = window.name;
      extent = window.bytes;
      if (const LaunchTensor* tensor = tensor_of(example.window)) {
        out.shape = tensor->shape;
        out.dtype = std::string(name_of(tensor->dtype));
        const i64 size = size_of(tensor->dtype);
        bool inside = false;
        const i64 element = example.offset >= 0 ? example.offset / size : -((-example.offset + size - 1) / size);
        out.index = index_at_offset(tensor->shape, tensor->strides, element, &inside);
        out.argument = argument_of(example, window);
        if (window.region >= 0) out.region = tensor->regions[u32(window.region)].name;
      }
    } else {
      extent = extent_of(example.space);
      const u32 id = example.variable != no_value ? example.variable : variable_at(example.space, example.offset);
      if (id != no_value) {
        out.tensor = variable(id).name;
        out.byte_offset = example.offset - code_.variable_offset[id];
        extent = bytes_of(id);
      }
    }
    const i64 offset = *out.byte_offset;
    if (offset < 0)
      out.bytes_before_start = -offset;
    else if (u64(offset) + example.bytes > extent)
      out.bytes_past_end = std::max<i64>(0, offset - i64(extent));
    return out;
  }

  // What a step loaded: "block_table[2, 7]", "s + 4 (2 bytes)".
  std::string element_text(const Occurrence& load) {
    Collected loaded;
    loaded.example = load;
    Finding of;
    of.access = access(load);
    const LaunchTensor* const tensor = tensor_of(load.window);
    const bool is_element = tensor && size_of(tensor->dtype) == load.bytes;
    if (!is_element) of.access->index.reset();
    return fmt::format("{}{}", Wording(of, loaded, tensor).element(),
                       is_element ? "" : fmt::format(" ({} byte{})", load.bytes, load.bytes == 1 ? "" : "s"));
  }

  // Of a hang: who else waits, and where the other blocks are.
  std::vector<std::string> of_stuck(const Stuck& stuck) {
    std::vector<std::string> lines;
    for (std::size_t n = 0; n < std::min(stuck.polled.size(), most_polled); ++n)
      lines.push_back(polled(stuck.polled[n], stuck));
    if (stuck.polled.size() > most_polled)
      lines.push_back(fmt::format("others wait for {} more addresses", stuck.polled.size() - most_polled));
    const auto add = [&](u64 count, const std::string& text) {
      if (count) lines.push_back(text);
    };
    add(stuck.threads_at_barriers,
        fmt::format("{} threads wait at barriers of their blocks", stuck.threads_at_barriers));
    add(stuck.ended, fmt::format("{} of {} blocks ended before", stuck.ended, stuck.blocks));
    add(stuck.not_begun, fmt::format("{} of {} blocks have not begun, for the device holds no more at once",
                                     stuck.not_begun, stuck.blocks));
    return lines;
  }

  std::string polled(const Polled& it, const Stuck& stuck) {
    const bool is_own = &it == stuck.polled.data();
    const std::string by = it.is_written ? stored_by(it, stuck) : "no thread of the launch has stored there";
    if (code_.steps[it.step].memory->is_phase_test) {
      return fmt::format("{} the mbarrier at {}, where {} of {} arrivals are missing in phase {}",
                         is_own ? "it waits at" : "others wait at", element_of(it), mbarrier::missing(it.bits),
                         mbarrier::expected(it.bits), mbarrier::phase(it.bits));
    }
    return fmt::format("{} {}, which {} {}{}{}", is_own ? "it reads" : "others wait for", element_of(it),
                       is_own ? "stays" : "is", number_text({.bytes = it.bytes, .bits = it.bits, .has_sign = true}),
                       by.empty() ? "" : "; ", by);
  }

  std::string element_of(const Polled& it) {
    return element_text({.step = it.step,
                         .window = it.window,
                         .space = it.window ? MemorySpace::Global : MemorySpace::Shared,
                         .has_access = true,
                         .offset = it.offset,
                         .bytes = it.bytes});
  }

  // Who stored last what one waits for, and what became of that thread; "": it is not known.
  std::string stored_by(const Polled& it, const Stuck& stuck) {
    using Now = LastWriter::Now;
    if (it.writer.now == Now::Unknown) return "";
    if (it.writer.block == it.block && it.writer.thread == it.thread)
      return &it == stuck.polled.data() ? "it stored that itself" : "";
    const auto waits_for = std::ranges::find(stuck.polled, it.writer.polls, &Polled::location);
    const std::string now = it.writer.now == Now::Ended        ? "has ended"
                            : it.writer.now == Now::AtBarrier  ? "waits at a barrier"
                            : it.writer.now == Now::ForItsWarp ? "waits for other lanes of its warp"
                            : waits_for == stuck.polled.end()  ? "cannot go on either"
                                                               : "waits for " + element_of(*waits_for);
    return fmt::format("{} stored that and {}", text_of(thread_of(it.writer.block, it.writer.thread)), now);
  }

  // "the address is computed from block_table[2, 7], which is -1"
  std::string computed_from(const std::vector<LoadedIndex>& all) {
    std::vector<std::string> parts;
    for (const LoadedIndex& one : all) {
      std::string part = fmt::format(
          "{}, which is {}",
          element_text(
              {.step = one.step, .window = one.window, .has_access = true, .offset = one.offset, .bytes = one.bytes}),
          number_text(one));
      if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
    }
    return fmt::format("the address is computed from {}", fmt::join(parts, ", and from "));
  }

  // An index, or an address. Compilers load 32 and 64 bits in one way whether they have a sign or not.
  static std::string number_text(const LoadedIndex& one) {
    const u32 spare = 64 - 8 * one.bytes;
    const i64 value = i64(one.bits << spare) >> spare;
    constexpr i64 largest_index = i64(1) << 40;
    if (one.bytes == 8 && (value <= -largest_index || value >= largest_index)) return fmt::format("{:#x}", one.bits);
    if (one.bytes == 8 || one.has_sign || value >= 0) return fmt::format("{}", value);
    return one.bytes == 4 ? fmt::format("{} ({} without a sign)", value, one.bits) : fmt::format("{}", one.bits);
  }

  const ptx::Variable& variable(u32 id) const { return code_.module->variable(code_.function, id); }
  u64 bytes_of(u32 id) const { return variable(id).bytes() ? variable(id).bytes() : launch_.dynamic_shared_bytes; }

  // The bytes of a space that every block or thread has for itself.
  u64 extent_of(MemorySpace space) const {
    if (space == MemorySpace::Shared) return code_.dynamic_shared_offset + launch_.dynamic_shared_bytes;
    return space == MemorySpace::Local ? code_.local_bytes : code_.parameter_bytes;
  }

  // The variable in shared or local memory that holds an offset; no_value: none does.
  u32 variable_at(MemorySpace in, i64 offset) const {
    if (in != MemorySpace::Shared && in != MemorySpace::Local) return no_value;
    const ptx::Space space = in == MemorySpace::Shared ? ptx::Space::Shared : ptx::Space::Local;
    for (u32 id = 0; id < code_.variable_offset.size(); ++id) {
      const i64 first = code_.variable_offset[id];
      if (variable(id).space == space && offset >= first && offset < first + i64(bytes_of(id))) return id;
    }
    return no_value;
  }

  Footprint footprint(const Collected& collected) const {
    Footprint out;
    const Occurrence& example = collected.example;
    const LaunchTensor* tensor = example.window ? tensor_of(example.window) : nullptr;
    if (!tensor) return out;
    out.tensor = tensor->name;
    out.shape = tensor->shape;
    out.complete = collected.all_offsets && !collected.at_least;
    const i64 size = size_of(tensor->dtype);
    const Strides dense = contiguous_strides(tensor->shape);
    const bool is_dense = dense == tensor->strides;
    for (const i64 offset : collected.offsets) {
      for (i64 at = 0; at < i64(std::max(example.bytes, u32(size))); at += size) {
        const i64 element = (offset + at) / size;
        if (is_dense || offset < 0) {
          out.elements.push_back(element);
        } else {
          bool inside = false;
          out.elements.push_back(offset_of(dense, index_at_offset(tensor->shape, tensor->strides, element, &inside)));
        }
      }
      if (out.elements.size() >= most_elements) {
        out.complete = false;
        break;
      }
    }
    std::sort(out.elements.begin(), out.elements.end());
    out.elements.erase(std::unique(out.elements.begin(), out.elements.end()), out.elements.end());
    return out;
  }

  std::string message(const Finding& finding, const Collected& collected) const {
    const Occurrence& example = collected.example;
    const CheckUnit* const unit = unit_of(finding.rule);
    if (!unit || !unit->words) return example.detail;
    const bool has_size = example.has_access && !example.window;
    return unit->words(Wording(finding, collected, example.window ? tensor_of(example.window) : nullptr,
                               has_size ? size_text(example.space) : ""));
  }

  // Of what every block or thread has for itself.
  std::string size_text(MemorySpace space) const {
    const u64 bytes = extent_of(space), dynamic = space == MemorySpace::Shared ? launch_.dynamic_shared_bytes : 0;
    const std::string of_launch = dynamic == 0       ? ""
                                  : dynamic == bytes ? ", all of them dynamic"
                                                     : fmt::format(", {} of them dynamic", dynamic);
    return fmt::format(", which has {} byte{}{}", bytes, bytes == 1 ? "" : "s", of_launch);
  }

  const Launch& launch_;
  const Code& code_;
  const std::vector<Window>& windows_;
};

}  // namespace

std::vector<Finding> describe(const Collector& collector, const Launch& launch, const Code& code,
                              const std::vector<Window>& windows) {
  Describer describer(launch, code, windows);
  std::vector<Finding> out;
  for (const auto& [key, collected] : collector.found()) out.push_back(describer.finding(collected));
  std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& f) {
      return std::make_tuple(f.severity, f.rule, f.location ? f.location->ptx_line : 0,
                             f.access ? f.access->tensor : "");
    };
    return key(a) < key(b);
  });
  return out;
}

Finding describe(const Collected& collected, const Launch& launch, const Code& code,
                 const std::vector<Window>& windows) {
  return Describer(launch, code, windows).finding(collected);
}

std::string describe_refusal(const std::string& why, u32 step, const Code& code) {
  const FindingLocation location = *location_of(code, code.steps[step].instruction);
  return location.file.empty() ? fmt::format("{} ({}:{})", why, location.ptx_file, location.ptx_line)
                               : fmt::format("{} ({}:{}, {}:{})", why, location.file, location.line, location.ptx_file,
                                             location.ptx_line);
}

}  // namespace ropewalk::machine
