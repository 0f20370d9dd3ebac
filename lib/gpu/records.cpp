#include "lib/gpu/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "lib/base/bits.h"
#include "lib/launch/allowed.h"
#include "lib/launch/values.h"
#include "lib/machine/checks/alignment.h"
#include "lib/machine/checks/bounds.h"
#include "lib/machine/checks/index.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/describe.h"

namespace ropewalk::gpu {

namespace {

using machine::MemorySpace;
using machine::Occurrence;
using ptx::Record;

// Farther away from a tensor than this an address has nothing to do with it.
constexpr i64 nowhere_from = i64(1) << 42;

class RecordReader {
 public:
  RecordReader(const Launch& launch, const ptx::Instrumented& instrumented, const InstrumentedLaunch& run,
               CheckSet checks)
      : launch_(launch), instrumented_(instrumented), run_(run), checks_(checks) {
    code_ = machine::make_code(launch.module, *launch.module->entry(launch.entry), false);
    for (u32 i = 0; i < code_->function.instructions.size(); ++i) {
      const ptx::Instruction& it = code_->function.instructions[i];
      instructions_.try_emplace({it.line, it.column}, i);
    }
    make_windows();
  }

  std::vector<Finding> read(const std::byte* buffer) {
    u32 total = 0;
    std::memcpy(&total, buffer, sizeof total);
    std::vector<u64> unseen(instrumented_.sites.size());
    std::memcpy(unseen.data(), buffer + ptx::record_counts, 8 * unseen.size());
    std::map<u32, Occurrence> latest;
    for (u32 n = 0; n < std::min(total, run_.capacity); ++n) {
      Record record;
      std::memcpy(&record, buffer + run_.first_record + n * sizeof record, sizeof record);
      if (record.site >= unseen.size()) continue;
      if (unseen[record.site]) --unseen[record.site];
      for (const Occurrence& occurrence : occurrences(record)) {
        collector_.report(occurrence);
        latest[record.site] = occurrence;
      }
    }
    for (u32 site = 0; site < unseen.size(); ++site) {
      if (unseen[site] == 0) continue;
      Occurrence more = latest.contains(site) ? latest[site] : counted(site);
      if (!checks_.has(check_of(more))) continue;
      more.count = unseen[site];
      collector_.report(more);
    }
    if (collector_.empty()) return {};
    std::vector<Finding> findings = describe(collector_, launch_, *code_, windows_);
    if (total >= run_.capacity) {
      for (Finding& finding : findings) {
        finding.evidence.push_back(
            fmt::format("the record buffer was full: threads, blocks and elements are those of {} "
                        "accesses, the accesses are counted to the end",
                        run_.capacity));
      }
    }
    return findings;
  }

 private:
  static Check check_of(const Occurrence& occurrence) {
    if (occurrence.rule == Rule::MisalignedAccess) return Check::Alignment;
    if (occurrence.rule != Rule::IndexOutOfField) return Check::Bounds;
    return occurrence.has_access ? Check::Fields : Check::Index;
  }

  // One window for each range; [0] is for what has none. An argument is named where it alone reaches the range.
  void make_windows() {
    windows_.resize(1 + run_.ranges.size());
    for (u64 n = 0; n < run_.ranges.size(); ++n) {
      const Range& range = run_.ranges[n];
      machine::Window& window = windows_[1 + n];
      window.bytes = range.bytes;
      window.tensor = range.tensor;
      window.region = range.region;
      window.name = range.tensor >= 0 ? launch_.tensors[u64(range.tensor)].name : range.variable;
    }
    const auto reach = [&](const TensorArgument& argument, u32 number) {
      for (u64 n = 0; n < run_.ranges.size(); ++n) {
        const Range& range = run_.ranges[n];
        if (range.tensor != i32(argument.tensor) || range.region != argument.region) continue;
        windows_[1 + n].argument = windows_[1 + n].argument == -1 ? i32(number) : -2;
      }
    };
    for (u32 i = 0; i < launch_.arguments.size(); ++i) {
      for_tensors(launch_.arguments[i], [&](const TensorArgument& tensor, u64) { reach(tensor, i); });
    }
  }

  const ptx::Instruction& instruction_of(const ptx::Site& site) const {
    return launch_.module->functions[site.function].instructions[site.instruction];
  }

  u32 step_of(const ptx::Site& site) const {
    const ptx::Instruction& it = instruction_of(site);
    const auto at = instructions_.find({it.line, it.column});
    return at == instructions_.end() ? machine::no_value : code_->first_step[at->second];
  }

  Occurrence at_site(const ptx::Site& site) const {
    Occurrence out;
    out.step = step_of(site);
    out.bytes = site.bytes;
    return out;
  }

  Occurrence counted(u32 number) const {
    const ptx::Site& site = instrumented_.sites[number];
    Occurrence out = at_site(site);
    out.rule = site.kind == ptx::Site::Kind::Index  ? Rule::IndexOutOfField
               : site.kind == ptx::Site::Kind::Load ? Rule::OutOfBoundsRead
                                                    : Rule::OutOfBoundsWrite;
    if (site.kind == ptx::Site::Kind::Index) out.name = index_name(site);
    out.detail = "counted here; the record buffer had no room for their locations";
    return out;
  }

  std::string index_name(const ptx::Site& site) const {
    const ptx::Function& function = launch_.module->functions[site.function];
    return function.texts[function.operands[instruction_of(site).first_operand + 2].id];
  }

  // What is wrong with one recorded access: one thing, or two.
  std::vector<Occurrence> occurrences(const Record& record) const {
    const ptx::Site& site = instrumented_.sites[record.site];
    Occurrence base = at_site(site);
    base.block = record.block[0] + u64(launch_.grid.x) * (record.block[1] + u64(launch_.grid.y) * record.block[2]);
    base.thread = record.thread[0] + launch_.block.x * (record.thread[1] + launch_.block.y * record.thread[2]);
    std::vector<Occurrence> out;
    if (record.range == Record::of_index) {
      base.rule = Rule::IndexOutOfField;
      base.name = index_name(site);
      base.detail = machine::broken_index_text(base.name, i32(record.offset), i32(record.address));
      out.push_back(base);
    } else {
      base.has_access = true;
      base.offset = record.offset;
      judge(record, site, base, out);
    }
    std::erase_if(out, [&](const Occurrence& one) { return !checks_.has(check_of(one)); });
    return out;
  }

  void judge(const Record& record, const ptx::Site& site, Occurrence base, std::vector<Occurrence>& out) const {
    const u64 extent = locate(record, site, base);
    const bool is_global = base.space == MemorySpace::Global || base.space == MemorySpace::Constant;
    const bool nowhere =
        is_global && (base.window == 0 || base.offset > i64(extent) + nowhere_from || base.offset < -nowhere_from);
    const bool inside = base.offset >= 0 && u64(base.offset) + base.bytes <= extent;
    const bool misaligned = record.address % base.bytes != 0;
    const LaunchTensor* const tensor = is_global ? tensor_of(record) : nullptr;
    const bool freed = tensor && tensor->freed;
    const bool would_fit = !nowhere && !freed && checks_.has(Check::Alignment) &&
                           machine::is_misaligned_inside(base.offset, 0, extent, record.address, base.bytes);
    const bool reads = site.kind == ptx::Site::Kind::Load;
    const char* const verb = reads ? "reads" : "writes";
    if (nowhere || (!inside && !would_fit) || (!is_global && !misaligned)) {
      base.rule = reads ? Rule::OutOfBoundsRead : Rule::OutOfBoundsWrite;
      if (base.space == MemorySpace::Shared && base.step < code_->steps.size() && code_->steps[base.step].memory) {
        base.variable = code_->steps[base.step].memory->variable;
      }
      if (nowhere) {
        base.has_access = false;
        base.window = 0;
        base.detail = machine::no_tensor_text(record.address);
      }
      out.push_back(base);
      return;
    }
    if (freed) {
      out.push_back(base);
      out.back().rule = Rule::UseAfterFree;
      out.back().detail = verb;
      return;
    }
    if (tensor && inside && !is_allowed(record, *tensor, base)) {
      out.push_back(base);
      out.back().rule = Rule::IndexOutOfField;
      out.back().detail = verb;
    }
    if (misaligned) {
      out.push_back(base);
      out.back().rule = Rule::MisalignedAccess;
      out.back().detail = machine::misalignment_text(base.bytes, record.address, base.bytes);
    }
  }

  // Fills in memory, window and offset as the machine counts them; returns the memory's bytes.
  u64 locate(const Record& record, const ptx::Site& site, Occurrence& out) const {
    if (record.range == Record::in_shared) {
      out.space = MemorySpace::Shared;
      out.offset += lowest(ptx::Space::Shared);
      return code_->dynamic_shared_offset + launch_.dynamic_shared_bytes;
    }
    if (record.range == Record::in_local) {
      out.space = MemorySpace::Local;
      out.offset += lowest(ptx::Space::Local);
      return code_->local_bytes;
    }
    out.space = MemorySpace::Global;
    u64 range = record.range;
    if (record.range == Record::in_variable) {
      const ptx::Variable& variable = named_by(site);
      if (variable.space == ptx::Space::Const) out.space = MemorySpace::Constant;
      const auto at = std::ranges::find(run_.ranges, variable.name, &Range::variable);
      range = u64(at - run_.ranges.begin());
    }
    if (range >= run_.ranges.size()) return 0;
    out.window = u32(1 + range);
    return run_.ranges[range].bytes;
  }

  // Sites number variables as the rewritten module does.
  const ptx::Variable& named_by(const ptx::Site& site) const {
    return instrumented_.module->variables[u64(site.origin.variable)];
  }

  // Where the machine has the lowest of the variables of a space that the kernel names.
  i64 lowest(ptx::Space space) const {
    std::optional<i64> found;
    for (const ptx::Operand& operand : code_->function.operands) {
      if (operand.kind != ptx::Operand::Kind::Variable) continue;
      if (code_->module->variable(code_->function, operand.id).space != space) continue;
      const i64 at = code_->variable_offset[operand.id];
      if (!found || at < *found) found = at;
    }
    return found.value_or(0);
  }

  // null: the record is about none.
  const LaunchTensor* tensor_of(const Record& record) const {
    if (record.range >= run_.ranges.size() || run_.ranges[record.range].tensor < 0) return nullptr;
    return &launch_.tensors[u64(run_.ranges[record.range].tensor)];
  }

  bool is_allowed(const Record& record, const LaunchTensor& tensor, const Occurrence& access) const {
    const Range& range = run_.ranges[record.range];
    if (range.region < 0 && !has_forbidden_bytes(tensor)) return true;
    std::vector<u64>& bits = allowed_[record.range];
    if (bits.empty()) {
      bits.resize((range.bytes + 63) / 64);
      mark_allowed(tensor, range.region, bits.data());
    }
    return all_bits(bits.data(), u64(access.offset), u64(access.offset) + access.bytes);
  }

  const Launch& launch_;
  const ptx::Instrumented& instrumented_;
  const InstrumentedLaunch& run_;
  CheckSet checks_;
  std::shared_ptr<const machine::Code> code_;
  std::map<std::pair<u32, u32>, u32> instructions_;  // by line and column of the PTX text
  std::vector<machine::Window> windows_;
  machine::Collector collector_;
  mutable std::map<u32, std::vector<u64>> allowed_;  // by range
};

bool is_empty(const std::byte* buffer, u64 sites) {
  const std::byte* const end = buffer + ptx::record_counts + 8 * sites;
  return std::all_of(buffer, end, [](std::byte byte) { return byte == std::byte(0); });
}

}  // namespace

std::vector<Finding> findings_of(const std::byte* buffer, const Launch& original, const ptx::Instrumented& instrumented,
                                 const InstrumentedLaunch& run, CheckSet checks) {
  if (is_empty(buffer, instrumented.sites.size())) return {};
  return RecordReader(original, instrumented, run, checks).read(buffer);
}

}  // namespace ropewalk::gpu
