#include "tests/lib/gpu/stand_in_launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lib/machine/machine.h"
#include "tests/lib/gpu/stand_in_state.h"

namespace ropewalk::stand_in {

using namespace gpu;

namespace {

// What ROPEWALK_STAND_IN_SPOIL asks for: a bit of the last result that changed is wrong, or its write was lost.
void spoil(std::byte& result, std::byte before) {
  const char* text = std::getenv("ROPEWALK_STAND_IN_SPOIL");
  const std::string how = text ? text : "";
  if (how == "bit") result ^= std::byte(1);
  if (how == "write") result = before;
}

// A launch of the machine: each allocation is a tensor of bytes, each word that is an address in one points there.
class Translation {
 public:
  Translation(const Function& function, Dim3 grid, Dim3 block, u64 shared, void** parameters) {
    launch.module = function.module->ptx;
    launch.entry = function.name;
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = shared;
    for (auto& [address, allocation] : allocations) {
      if (allocation.module) continue;
      auto values = std::make_shared<Array>();
      values->dtype = Dtype::U8;
      values->shape = {i64(allocation.bytes.size())};
      values->bytes.assign(allocation.bytes.begin(), allocation.bytes.end());
      LaunchTensor tensor;
      tensor.name = "allocation";
      tensor.dtype = Dtype::U8;
      tensor.shape = values->shape;
      tensor.strides = {1};
      tensor.init = Given{values, ""};
      tensor.freed = !allocation.readers.contains(function.module->device);  // to touch it is an error
      numbers_[address] = u32(launch.tensors.size());
      launch.tensors.push_back(std::move(tensor));
    }
    const ptx::Function& entry = *launch.module->entry(function.name);
    for (u32 i = 0; i < entry.parameter_count; ++i) add_parameter(entry.parameter(i), parameters[i]);
    for (const auto& [name, address] : function.module->variables) add_variable(name, allocations.at(address).bytes);
  }

  void copy_back(const Outcome& outcome) const {
    std::byte* changed = nullptr;
    std::byte before{};
    for (const auto& [address, number] : numbers_) {
      std::vector<std::byte>& bytes = allocations.at(address).bytes;
      const std::byte* now = outcome.tensors[number].bytes;
      const auto [was, is] = std::mismatch(bytes.begin(), bytes.end(), now);
      if (was != bytes.end()) {
        changed = &*was;
        before = *was;
      }
      std::memcpy(bytes.data(), now, bytes.size());
    }
    if (changed) spoil(*changed, before);
  }

  Launch launch;

 private:
  using Part = std::variant<TensorArgument, ScalarArgument, NullArgument>;

  Part part_of(const std::byte* at, u64 bytes) const {
    u64 bits = 0;
    std::memcpy(&bits, at, bytes);
    if (bytes == 8) {
      const auto holder = holder_of(bits, 0);
      if (holder != allocations.end() && !holder->second.module) {
        return TensorArgument{numbers_.at(holder->first), -1, i64(bits - holder->first)};
      }
    }
    return ScalarArgument{bytes == 8   ? Dtype::U64
                          : bytes == 4 ? Dtype::U32
                          : bytes == 2 ? Dtype::U16
                                       : Dtype::U8,
                          bits};
  }

  void add_parameter(const ptx::Variable& parameter, const void* value) {
    const auto* at = static_cast<const std::byte*>(value);
    if (parameter.extents.empty()) {
      const Part part = part_of(at, parameter.bytes());
      launch.arguments.push_back(std::visit([](const auto& one) { return Argument(one); }, part));
      return;
    }
    StructArgument whole{parameter.bytes(), {}};
    for (u64 i = 0; i < whole.bytes;) {
      const u64 size = whole.bytes - i >= 8 ? 8 : 1;
      whole.parts.push_back({i, part_of(at + i, size)});
      i += size;
    }
    launch.arguments.push_back(std::move(whole));
  }

  void add_variable(const std::string& name, const std::vector<std::byte>& bytes) {
    LaunchVariable variable{name, bytes, {}};
    for (u64 at = 0; at + 8 <= bytes.size(); at += 8) {
      u64 word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      const auto holder = word ? find(word) : allocations.end();
      if (holder == allocations.end()) continue;
      LaunchPointer pointer;
      pointer.at = at;
      pointer.offset = i64(word - holder->first);
      if (holder->second.module)
        pointer.variable = holder->second.variable;
      else
        pointer.tensor = i32(numbers_.at(holder->first));
      variable.pointers.push_back(std::move(pointer));
    }
    launch.variables.push_back(std::move(variable));
  }

  // The allocation that an address was made from: the nearest one, as a table holds addresses before a tensor's start.
  static std::map<DevicePointer, Allocation>::iterator find(u64 word) {
    constexpr u64 near = 1 << 19;
    auto at = allocations.upper_bound(word + near);
    if (at == allocations.begin()) return allocations.end();
    --at;
    return word <= at->first + at->second.bytes.size() + near && word + near >= at->first ? at : allocations.end();
  }

  std::map<DevicePointer, u32> numbers_;
};

Result error_of(const Outcome& outcome) {
  for (const Finding& finding : outcome.findings) {
    switch (finding.rule) {
      case Rule::OutOfBoundsRead:
      case Rule::OutOfBoundsWrite:
      case Rule::UseAfterFree:
        return illegal_address;
      case Rule::MisalignedAccess:
        return misaligned_address;
      case Rule::Hang:
        for (;;) pause();
      case Rule::DeviceAssert:
        return finding.message.find("executed a trap") == std::string::npos ? device_assert : launch_failed;
      default:
        break;
    }
  }
  return outcome.kind == OutcomeKind::NotRun ? illegal_instruction : success;
}

}  // namespace

Result run_launch(const Function& function, Dim3 grid, Dim3 block, u64 shared, void** parameters) {
  Translation translation(function, grid, block, shared, parameters);
  RunOptions options;
  options.checks = CheckSet();
  for (const Check check : {Check::Bounds, Check::Alignment, Check::Hang}) options.checks.add(check);
  options.threads = 1;
  options.fp_contract = true;  // as the driver's compiler does
  const Outcome outcome = machine::make_machine()->run(translation.launch, options);
  const Result error = error_of(outcome);
  if (error == success) translation.copy_back(outcome);
  return error;
}

}  // namespace ropewalk::stand_in
