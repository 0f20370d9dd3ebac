#include <cmath>

#include "tests/lib/rope/faults.h"

namespace ropewalk::rope::testing {
namespace {

using Type = RopeType;

Fault making_fault(const std::string& name, const char* cause, std::function<void(FaultCase&, Making&, i64&)> spoil) {
  Fault fault{name, cause};
  fault.spoil_making = std::move(spoil);
  return fault;
}

}  // namespace

std::vector<Fault> number_faults() {
  std::vector<Fault> list;
  for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
    const std::string name(ropewalk::name_of(dtype));
    list.push_back(making_fault("inv_freq in " + name, "inv-freq-rounded",
                                [=](FaultCase&, Making& m, i64&) { m.frequency_dtype = dtype; }));
    list.push_back(making_fault("positions in " + name, "positions-rounded",
                                [=](FaultCase&, Making& m, i64&) { m.position_dtype = dtype; }));
    list.push_back(making_fault("product in " + name, "low-precision-computation",
                                [=](FaultCase&, Making& m, i64&) { m.product_dtype = dtype; }));
    list.push_back(making_fault("all in " + name, "low-precision-computation", [=](FaultCase&, Making& m, i64&) {
      m.product_dtype = m.position_dtype = m.frequency_dtype = dtype;
    }));
  }
  list.push_back(
      making_fault("angles added up", "angle-drift", [](FaultCase&, Making& m, i64&) { m.add_angles = true; }));

  Fault shift = making_fault("positions from elsewhere", "position-shift", [](FaultCase& one, Making& m, i64&) {
    const i64 shift = 1 + i64(one.random.split(2).below(3000));
    m.position = [=](i64 row) { return double(row + shift); };
  });
  list.push_back(shift);
  Fault wrap = making_fault("modulo", "position-wrap", [](FaultCase& one, Making& m, i64& rows) {
    const i64 modulus = rows / 4 + i64(one.random.split(2).below(u64(rows / 3)));
    m.position = [=](i64 row) { return double(row % modulus); };
  });
  list.push_back(wrap);
  Fault reset = making_fault("documents", "position-reset", [](FaultCase& one, Making& m, i64& rows) {
    Random random = one.random.split(2);
    std::vector<i64> starts = {0};
    while (starts.back() < rows) starts.push_back(starts.back() + rows / 12 + i64(random.below(u64(rows / 5))));
    m.position = [=](i64 row) {
      i64 start = 0;
      for (const i64 one_start : starts) start = one_start <= row ? one_start : start;
      return double(row - start);
    };
  });
  list.push_back(reset);
  Fault few = making_fault("fewer rows", "too-few-rows", [](FaultCase& one, Making& m, i64& rows) {
    rows = one.formula.max_positions * 2 / 3;
    m.formula_rows = rows;
  });
  few.always_shows = true;
  few.applies = [](const FaultCase& one) {
    return one.formula.type != Type::LongRope || one.formula.max_positions * 2 / 3 > one.formula.original_positions;
  };
  list.push_back(few);

  Fault lost = making_fault("offset not added", "position-shift", [](FaultCase& one, Making& m, i64&) {
    const auto position = one.position;
    m.position = [position](i64 row) { return position(0, row); };
  });
  lost.on_shards = lost.needs_shards = lost.one_rank = true;
  // Two halves that are both the first one look like two short copies, unless together they are the model's length.
  lost.applies = [](const FaultCase& one) {
    return one.ranks > 2 || one.total - one.formula.max_positions <= 2 * one.ranks;
  };
  list.push_back(lost);
  Fault swapped = making_fault("another rank's shard", "rank-swapped", [](FaultCase& one, Making& m, i64&) {
    const auto position = one.position;
    const i64 other = one.rank == one.ranks - 1 ? 1 : one.ranks - 1;
    m.position = [position, other](i64 row) { return position(other, row); };
  });
  swapped.on_shards = swapped.needs_shards = swapped.one_rank = true;
  swapped.applies = [](const FaultCase& one) { return one.ranks > 2; };
  list.push_back(swapped);

  Fault overlap = making_fault("shards that overlap", "shards-overlap", [](FaultCase& one, Making& m, i64& rows) {
    const i64 shared = 1 + i64(one.random.split(2).below(u64(std::max<i64>(rows / 4, 1))));
    const auto position = one.position;
    m.position = [position, rank = one.rank, shared](i64 row) { return position(rank, row) - double(rank * shared); };
  });
  overlap.on_shards = overlap.needs_shards = overlap.all_ranks = true;
  list.push_back(overlap);

  // The first rows were made for a shorter table, or before the scaling was known.
  Fault stale{"first rows of an older table", "stale-rows"};
  stale.applies = [](const FaultCase& one) {
    return one.formula.type == Type::Dynamic && one.total > one.formula.max_positions * 3 / 2;
  };
  stale.spoil_table = [](FaultCase& one, const Making& right, FloatTable& table) {
    Making older = right;
    older.formula_rows = one.formula.max_positions;
    const FloatTable first = float_table(older, one.formula.max_positions * 9 / 10);
    std::copy(first.cosine.begin(), first.cosine.end(), table.cosine.begin());
    std::copy(first.sine.begin(), first.sine.end(), table.sine.begin());
  };
  list.push_back(stale);
  Fault unscaled = stale;
  unscaled.name = "first rows unscaled";
  unscaled.applies = [](const FaultCase& one) {
    return one.formula.type == Type::Linear || one.formula.type == Type::Llama3 || one.formula.type == Type::Ntk;
  };
  unscaled.spoil_table = [](FaultCase&, const Making& right, FloatTable& table) {
    Making older = right;
    older.formula.type = Type::Default;
    const FloatTable first = float_table(older, table.rows / 2);
    std::copy(first.cosine.begin(), first.cosine.end(), table.cosine.begin());
    std::copy(first.sine.begin(), first.sine.end(), table.sine.begin());
  };
  list.push_back(unscaled);
  return list;
}

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> list = storage_faults();
    for (Fault& fault : formula_faults()) list.push_back(std::move(fault));
    for (Fault& fault : number_faults()) list.push_back(std::move(fault));
    for (Fault& fault : element_faults()) list.push_back(std::move(fault));
    return list;
  }();
  return all;
}

}  // namespace ropewalk::rope::testing
