#include <cmath>

#include "lib/rope/wrong_elements.h"
#include "reference/rope_table.h"
#include "tests/lib/rope/faults.h"

namespace ropewalk::rope::testing {
namespace {

float as(Dtype dtype, double value) {
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  return float(load_as_double(bytes, dtype));
}

// The format whose bits the table's file has.
Dtype stored(const FaultCase& one) { return one.dtype == Dtype::F64 ? Dtype::F32 : one.dtype; }

// The value with one of its bits flipped, so that it is far from what it was and still a number.
float with_a_flipped_bit(Random& random, float value, Dtype dtype) {
  while (true) {
    const int bit = int(random.below(8 * size_of(dtype)));
    u8 bytes[8] = {};
    store_from_double(bytes, dtype, double(as(dtype, double(value))));
    bytes[bit / 8] ^= u8(1 << (bit % 8));
    const double flipped = load_as_double(bytes, dtype);
    if (std::isfinite(flipped) && std::abs(flipped - double(value)) > 0.05) return float(flipped);
  }
}

bool is_separate(const FaultCase& one) {
  return one.layout != DumpLayout::BareRows && one.layout != DumpLayout::BareInterleaved;
}

// Moves whole columns: pair i gets what pair order(i) had.
void reorder(FloatTable& table, const std::function<i64(i64)>& order) {
  for (auto* list : {&table.cosine, &table.sine}) {
    const std::vector<float> old = *list;
    for (i64 row = 0; row < table.rows; ++row) {
      for (i64 pair = 0; pair < table.pairs; ++pair)
        (*list)[size_t(row * table.pairs + pair)] = old[size_t(row * table.pairs + order(pair))];
    }
  }
}

Fault element_fault(const char* name, const char* cause,
                    std::function<void(FaultCase&, const Making&, FloatTable&)> spoil) {
  Fault fault{name, cause};
  fault.on_shards = fault.always_shows = true;
  fault.spoil_table = std::move(spoil);
  return fault;
}

Fault rounding(const char* name, bool cos_alone) {
  Fault fault = element_fault(name, "table-rounded", [cos_alone](FaultCase& one, const Making&, FloatTable& table) {
    const Dtype dtype = one.random.split(4).below(2) ? Dtype::BF16 : Dtype::F16;
    for (float& value : table.cosine) value = as(dtype, double(value));
    if (cos_alone) return;
    for (float& value : table.sine) value = as(dtype, double(value));
  });
  fault.applies = [](const FaultCase& one) { return one.dtype == Dtype::F32; };
  return fault;
}

}  // namespace

std::vector<Fault> element_faults() {
  std::vector<Fault> list;
  // 2^-45 of a bit in f64 does not show, so that files in f64 get the bits of f32.
  Fault bit = element_fault("one flipped bit", "flipped-bit", [](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(3);
    std::vector<float>& values = random.below(2) ? table.cosine : table.sine;
    float& value = values[random.below(values.size())];
    value = with_a_flipped_bit(random, value, stored(one));
  });
  bit.applies = [](const FaultCase& one) { return one.dtype != Dtype::F64; };
  list.push_back(bit);
  list.push_back(element_fault("a few overwritten elements", "isolated-elements",
                               [](FaultCase& one, const Making&, FloatTable& table) {
                                 Random random = one.random.split(3);
                                 const u64 count = 1 + random.below(4);
                                 for (u64 n = 0, tries = 0; n < count && tries < 10000; ++tries) {
                                   std::vector<float>& values = random.below(2) ? table.cosine : table.sine;
                                   float& value = values[random.below(values.size())];
                                   // One bit of the exponent takes any number close to zero.
                                   if (!(std::abs(value) > 0.1f)) continue;
                                   float other = value;
                                   // Neither near to it nor one bit away from it in any format.
                                   while (std::abs(other - value) < 0.1f ||
                                          !flipped_bits(double(other), double(value), 0.02, stored(one)).empty())
                                     other = as(stored(one), 3 * random.unit() - 1.5);
                                   value = other;
                                   ++n;
                                 }
                               }));
  list.push_back(element_fault("NaN rows", "not-a-number", [](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(3);
    const i64 first = i64(random.below(u64(table.rows))), rows = 1 + i64(random.below(8));
    for (i64 n = first * table.pairs; n < std::min(first + rows, table.rows) * table.pairs; ++n)
      table.cosine[size_t(n)] = table.sine[size_t(n)] = NAN;
  }));
  list.push_back(
      element_fault("reversed frequencies", "frequency-order", [](FaultCase&, const Making&, FloatTable& table) {
        reorder(table, [&](i64 pair) { return table.pairs - 1 - pair; });
      }));
  Fault exchanged = element_fault("two frequencies exchanged", "frequency-order",
                                  [](FaultCase& one, const Making&, FloatTable& table) {
                                    Random random = one.random.split(3);
                                    const i64 a = i64(random.below(u64(table.pairs / 2)));
                                    const i64 b = table.pairs / 2 + i64(random.below(u64(table.pairs / 2)));
                                    reorder(table, [=](i64 pair) { return pair == a ? b : pair == b ? a : pair; });
                                  });
  exchanged.always_shows = false;
  list.push_back(exchanged);
  Fault one_sided = element_fault("attention factor on cos alone", "attention-factor",
                                  [](FaultCase&, const Making& right, FloatTable& table) {
                                    for (float& value : table.sine)
                                      value /= float(reference::rope_attention(right.formula));
                                  });
  one_sided.applies = [](const FaultCase& one) {
    return is_separate(one) && std::abs(reference::rope_attention(one.formula) - 1) > 0.02;
  };
  list.push_back(one_sided);
  list.push_back(rounding("f32 table rounded on the way", false));
  list.push_back(rounding("cos rounded on the way", true));
  return list;
}

}  // namespace ropewalk::rope::testing
