// One form of the machine's table, tried on operands outside any program.
#pragma once
#include <cstring>

#include "lib/base/random.h"
#include "lib/machine/context.h"
#include "lib/machine/handlers/table.h"

namespace ropewalk::machine {

// A context whose registers are the operands of one operation, for `warps` warps.
class FormBench {
 public:
  static constexpr u32 warps = 3, lanes = warps * lanes_per_warp;

  explicit FormBench(const Form& form);

  // Random operands of all kinds that a register of the size can hold, edges of the number formats among them.
  void draw(Random& random);
  // Fills the destination with bytes that no test expects by chance.
  void mark_destination();
  void set_mask(u32 warp, u32 bits);
  // The operand n (0: a, 1: b, 2: c, 3: e) of all warps is the one of its first warp, as for values kept once.
  void share(u32 operand);

  void run_vector();
  void run_uniform();

  u64 result(u32 lane) const { return read(0, lane, form_.size_d); }
  u64 operand(u32 n, u32 lane) const { return read(n + 1, shared_[n] ? lane % lanes_per_warp : lane, size_of(n)); }
  void set_operand(u32 n, u32 lane, u64 bits) {
    std::memcpy(registers_ + (n + 1) * room + lane * size_of(n), &bits, size_of(n));
  }
  u32 size_of(u32 operand) const {
    const u32 sizes[] = {form_.size_a, form_.size_b, form_.size_c, form_.size_e};
    return sizes[operand];
  }
  u32 operand_count() const {
    return (form_.size_a != 0) + (form_.size_b != 0) + (form_.size_c != 0) + (form_.size_e != 0);
  }

 private:
  static constexpr u32 room = max_warps * lanes_per_warp * 8;
  u64 read(u32 offset, u32 lane, u32 size) const {
    u64 bits = 0;
    std::memcpy(&bits, registers_ + offset * room + lane * size, size);
    return bits;
  }

  Form form_;
  Op op_;
  Context context_;
  bool shared_[4] = {};
  alignas(64) std::byte registers_[5 * room] = {};
};

// A random value of `size` bytes; of size 1 a predicate.
u64 draw_bits(Random& random, u32 size);

}  // namespace ropewalk::machine
