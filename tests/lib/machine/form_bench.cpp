#include "tests/lib/machine/form_bench.h"

#include <gtest/gtest.h>

#include "tests/lib/machine/arithmetic/samples.h"

namespace ropewalk::machine {

u64 draw_bits(Random& random, u32 size) {
  using namespace arithmetic;
  const u64 kind = random.below(3);
  switch (size) {
    case 1:
      return Sample<u8>::draw(random);
    case 2:
      return kind == 0   ? integer_sample<u16>(random)
             : kind == 1 ? float_sample<u16>(random, 10, 5)
                         : float_sample<u16>(random, 7, 8);
    case 4:
      if (random.below(4) == 0) return draw_bits(random, 2) | draw_bits(random, 2) << 16;
      return kind == 0 ? integer_sample<u32>(random) : float_sample<u32>(random, 23, 8);
    default:
      return kind == 0 ? integer_sample<u64>(random) : float_sample<u64>(random, 52, 11);
  }
}

FormBench::FormBench(const Form& form) : form_(form) {
  context_.warps = warps;
  for (u32 warp = 0; warp < warps; ++warp) set_mask(warp, 0xffffffffu);
  u32* const offsets[] = {&op_.d, &op_.a, &op_.b, &op_.c, &op_.e};
  u16* const steps[] = {&op_.step_d, &op_.step_a, &op_.step_b, &op_.step_c, &op_.step_e};
  const u32 sizes[] = {form.size_d, form.size_a, form.size_b, form.size_c, form.size_e};
  for (u32 i = 0; i < 5; ++i) {
    *offsets[i] = i * room;
    *steps[i] = u16(sizes[i] * lanes_per_warp);
  }
}

void FormBench::draw(Random& random) {
  for (u32 n = 0; n < operand_count(); ++n) {
    for (u32 lane = 0; lane < lanes; ++lane) {
      // Operands that are alike make comparisons and cancellations.
      const bool copy = n > 0 && size_of(n) == size_of(0) && random.below(6) == 0;
      set_operand(n, lane, copy ? operand(0, lane) : draw_bits(random, size_of(n)));
    }
  }
}

void FormBench::mark_destination() { std::memset(registers_, 0xa5, room); }

void FormBench::set_mask(u32 warp, u32 bits) {
  context_.bits[warp] = bits;
  context_.unpack_mask();
}

void FormBench::share(u32 operand) {
  u16* const steps[] = {&op_.step_a, &op_.step_b, &op_.step_c, &op_.step_e};
  *steps[operand] = 0;
  shared_[operand] = true;
}

void FormBench::run_vector() {
  context_.registers = registers_;  // not those of the bench that this is a copy of
  const Op* next = form_.vector(context_, &op_);
  EXPECT_EQ(next, &op_ + 1);
}

void FormBench::run_uniform() {
  context_.registers = registers_;
  const Op* next = form_.uniform(context_, &op_);
  EXPECT_EQ(next, &op_ + 1);
}

}  // namespace ropewalk::machine
