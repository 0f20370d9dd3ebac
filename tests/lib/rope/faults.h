// The ways in which programs break rope caches, each as it happens.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tests/lib/rope/draws.h"

namespace ropewalk::rope::testing {

// The dump that is being broken.
struct FaultCase {
  RopeFormula formula;
  Dtype dtype;
  DumpLayout layout;
  i64 rows, total, ranks;
  Random random;  // the same for all ranks
  i64 rank = 0;
  std::function<double(i64, i64)> position;  // (rank, row) to position
};

struct Fault {
  std::string name;
  std::string cause;
  std::function<bool(const FaultCase&)> applies = [](const FaultCase&) { return true; };
  std::function<void(FaultCase&, Making&, i64& rows)> spoil_making = [](FaultCase&, Making&, i64&) {};
  std::function<void(FaultCase&, const Making& right, FloatTable&)> spoil_table = [](FaultCase&, const Making&,
                                                                                     FloatTable&) {};
  std::function<void(FaultCase&, const FloatTable&, DumpWriter&, const std::string& module)> write;
  bool on_shards = false;     // happens to shards too
  bool needs_shards = false;  // happens to contiguous shards alone
  bool one_rank = false;      // happens to one rank of several alone
  bool all_ranks = false;     // of several ranks all have it
  bool always_shows = false;
};

const std::vector<Fault>& all_faults();
// Those of memory and layout, those of formulas, those of precision and position.
std::vector<Fault> storage_faults();
std::vector<Fault> formula_faults();
std::vector<Fault> number_faults();
// Of single elements, rows and columns.
std::vector<Fault> element_faults();

}  // namespace ropewalk::rope::testing
