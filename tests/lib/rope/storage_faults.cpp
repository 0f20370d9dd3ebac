#include <cmath>

#include "lib/rope/made/memory.h"
#include "tests/lib/rope/faults.h"

namespace ropewalk::rope::testing {
namespace {

Fault garbage(const char* name, MemoryHolds kind) {
  Fault fault{name, "uninitialized-memory"};
  fault.on_shards = true;
  fault.always_shows = true;
  fault.spoil_table = [kind](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(u64(one.rank));
    fill_memory(random, table.cosine, 0, kind);
    fill_memory(random, table.sine, 0, kind);
  };
  return fault;
}

Fault partial_garbage(const char* name, MemoryHolds kind) {
  Fault fault = garbage(name, kind);
  fault.spoil_table = [kind](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(7);
    const i64 first = table.rows / 4 + i64(random.below(u64(table.rows / 2)));
    fill_memory(random, table.cosine, first * table.pairs, kind);
    fill_memory(random, table.sine, first * table.pairs, kind);
  };
  return fault;
}

bool has_pairs_of_functions(const FaultCase& one) {
  return one.layout != DumpLayout::BareRows && one.layout != DumpLayout::BareInterleaved;
}

}  // namespace

std::vector<Fault> storage_faults() {
  std::vector<Fault> list = {garbage("weights in memory", MemoryHolds::Weights),
                             garbage("zeros in memory", MemoryHolds::Zeros),
                             garbage("bits in memory", MemoryHolds::Bits),
                             garbage("activations in memory", MemoryHolds::Activations),
                             partial_garbage("weights from a row on", MemoryHolds::Weights),
                             partial_garbage("zeros from a row on", MemoryHolds::Zeros),
                             partial_garbage("bits from a row on", MemoryHolds::Bits)};
  Fault only_sin = garbage("sin never filled", MemoryHolds::Weights);
  only_sin.spoil_table = [](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(3);
    fill_memory(random, table.sine, 0, MemoryHolds::Weights);
  };
  only_sin.applies = has_pairs_of_functions;
  list.push_back(only_sin);

  Fault imaginary{"complex cast to real", "imaginary-lost"};
  imaginary.on_shards = imaginary.always_shows = true;
  imaginary.applies = has_pairs_of_functions;
  imaginary.spoil_table = [](FaultCase&, const Making&, FloatTable& table) {
    table.sine.assign(table.sine.size(), 0.0f);
  };
  list.push_back(imaginary);

  Fault sign{"conjugate", "sin-sign"};
  sign.always_shows = true;
  sign.spoil_table = [](FaultCase&, const Making&, FloatTable& table) {
    for (float& value : table.sine) value = -value;
  };
  list.push_back(sign);

  Fault swapped{"cos and sin exchanged", "cos-sin-swapped"};
  swapped.always_shows = true;
  swapped.applies = has_pairs_of_functions;
  swapped.spoil_table = [](FaultCase&, const Making&, FloatTable& table) { std::swap(table.cosine, table.sine); };
  list.push_back(swapped);

  // One function repeated in halves, the other in neighbours.
  Fault styles{"cos and sin in two styles", "layout-mixup"};
  styles.always_shows = true;
  styles.applies = [](const FaultCase& one) {
    return one.layout == DumpLayout::SeparateHalf || one.layout == DumpLayout::BatchHalf;
  };
  styles.write = [](FaultCase& one, const FloatTable& table, DumpWriter& writer, const std::string& module) {
    DumpWriter half("half"), neighbours("neighbours");
    half.add(table, DumpLayout::SeparateHalf, one.dtype, module);
    neighbours.add(table, DumpLayout::SeparateInterleaved, one.dtype, module);
    const Dump a = half.finish(), b = neighbours.finish();
    for (const DumpTensor* tensor : {&a.tensors[0], &b.tensors[1]}) {
      std::vector<float> values;
      for (i64 n = 0; n < element_count(tensor->shape); ++n)
        values.push_back(float(load_as_double(tensor->data.data() + n * size_of(tensor->dtype), tensor->dtype)));
      writer.add_tensor(tensor->name, tensor->dtype, tensor->shape, values);
    }
  };
  list.push_back(styles);

  Fault rank_style{"one rank in another style", "layout-mixup"};
  rank_style.always_shows = rank_style.one_rank = true;
  rank_style.applies = [](const FaultCase& one) {
    return one.ranks > 2 && (one.layout == DumpLayout::SeparateHalf || one.layout == DumpLayout::Rows);
  };
  rank_style.write = [](FaultCase& one, const FloatTable& table, DumpWriter& writer, const std::string& module) {
    if (one.layout == DumpLayout::SeparateHalf)
      return writer.add(table, DumpLayout::SeparateInterleaved, one.dtype, module);
    std::vector<float> values;
    for (size_t n = 0; n < table.cosine.size(); ++n) {
      values.push_back(table.cosine[n]);
      values.push_back(table.sine[n]);
    }
    writer.add_tensor(module + "cos_sin_cache", one.dtype, {table.rows, 2 * table.pairs}, values);
  };
  list.push_back(rank_style);

  Fault rows_style{"rows in two styles", "layout-mixup"};
  rows_style.always_shows = true;
  rows_style.applies = [](const FaultCase& one) { return one.layout == DumpLayout::SeparateHalf; };
  rows_style.write = [](FaultCase& one, const FloatTable& table, DumpWriter& writer, const std::string& module) {
    const i64 border = table.rows / 3;
    for (const bool is_sin : {false, true}) {
      const std::vector<float>& from = is_sin ? table.sine : table.cosine;
      std::vector<float> values;
      for (i64 row = 0; row < table.rows; ++row) {
        for (i64 column = 0; column < 2 * table.pairs; ++column) {
          values.push_back(from[size_t(row * table.pairs + (row < border ? column / 2 : column % table.pairs))]);
        }
      }
      writer.add_tensor(module + (is_sin ? "sin_cached" : "cos_cached"), one.dtype, {table.rows, 2 * table.pairs},
                        values);
    }
  };
  list.push_back(rows_style);

  Fault differs{"angles of its own", "rank-differs"};
  differs.one_rank = differs.always_shows = true;
  differs.applies = [](const FaultCase& one) { return one.ranks > 1; };
  differs.spoil_table = [](FaultCase& one, const Making&, FloatTable& table) {
    Random random = one.random.split(5);
    for (size_t n = 0; n < table.cosine.size(); ++n) {
      const double length = std::hypot(table.cosine[n], table.sine[n]), angle = 6.3 * random.unit();
      table.cosine[n] = float(length * std::cos(angle));
      table.sine[n] = float(length * std::sin(angle));
    }
  };
  list.push_back(differs);
  return list;
}

}  // namespace ropewalk::rope::testing
