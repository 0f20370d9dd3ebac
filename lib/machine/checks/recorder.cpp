#include "lib/machine/checks/recorder.h"

#include "lib/base/bits.h"
#include "lib/machine/instruction_location.h"

namespace ropewalk::machine {

AccessRecords& AccessRecords::operator=(AccessRecords&& other) noexcept {
  bytes_ = std::move(other.bytes_);
  return *this;
}

void AccessRecords::add(const AccessEvent& event) {
  if (!event.window || event.window->tensor < 0) return;
  const std::lock_guard lock(mutex_);
  std::vector<u64>& bits = bytes_[{event.window->tensor, event.step_index, event.is_write()}];
  bits.resize((event.window->bytes + 63) / 64);
  set_bits(bits.data(), u64(event.offset), u64(event.offset) + event.bytes);
}

std::vector<InstructionAccesses> AccessRecords::by_instruction(const Code& code) const {
  std::vector<InstructionAccesses> list;
  for (const auto& [key, bits] : bytes_) {
    const auto& [tensor, step, write] = key;
    InstructionAccesses one{u32(tensor), write, {}, bits};
    if (const auto location = location_of(code, code.steps[step].instruction)) one.location = *location;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace ropewalk::machine
