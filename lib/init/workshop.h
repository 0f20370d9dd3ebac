// Where the bytes of buffers are made and used: each build and each forward runs the kernels of kernels/rotary on the
// checked machine, once for each distinct input.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/finding/finding.h"
#include "lib/init/plan.h"
#include "lib/launch/outcome.h"
#include "lib/tensor/array.h"

namespace ropewalk::init {

// What a buffer's memory holds. A table has cosine and sine [rows, pairs]; frequencies are `cosine` [pairs] alone.
struct Content {
  std::shared_ptr<const Array> cosine, sine;  // null: nobody wrote them
};

// How a builder computes.
struct Recipe {
  bool scaled = true;   // with the configuration's scaling
  u32 frequencies = 0;  // content to read them from, where `given`
  bool given = false;
  std::optional<Dtype> constructor;  // what tensor constructors are forced to: arange and all that follows
  bool rounds_positions = false;     // arange among them
  auto key() const { return std::tie(scaled, frequencies, given, constructor, rounds_positions); }
};

// A table as a forward finds it.
struct TableInUse {
  u32 content = 0;
  i64 rows = 0;
  Dtype dtype = Dtype::F32;
  bool freed = false;      // the memory was given back
  bool elsewhere = false;  // the memory is on another device
};

// What came of a forward on the machine.
struct ForwardRun {
  std::vector<Finding> findings;  // of the machine's checks
  std::string refusal;            // the kernel's contract rejects it; empty: it ran
  std::optional<Numbers> worst;   // where the output is furthest beyond its bound; empty: nowhere
  u64 wrong = 0, elements = 0;    // elements beyond their bound, and all

  bool good() const { return findings.empty() && refusal.empty() && wrong == 0; }
};

class Workshop {
 public:
  explicit Workshop(const Plan& plan);
  ~Workshop();

  // Frequencies [pairs] as a builder without a table computes them, stored in `dtype`.
  u32 build_frequencies(const Recipe& recipe, Dtype dtype);
  // A table of `rows` rows by kernels/rotary/cache.cu. From frequencies that nobody wrote: 0.
  u32 build_table(const Recipe& recipe, i64 rows, Dtype dtype);
  // Each value rounded to `dtype`.
  u32 cast(u32 content, Dtype dtype);
  // The number of a forward with kernels/rotary/apply.cu at these positions. `wanted`: the dtype that a right table
  // may have been rounded to.
  i32 forward(const TableInUse& table, i64 first_position, i64 positions, Dtype wanted);

  const ForwardRun& run(i32 number) const { return runs_[size_t(number)]; }
  // Launches that the machine has run.
  u64 launches() const { return launches_; }

 private:
  u32 keep(Content content);
  std::vector<double> frequencies_of(const Recipe& recipe, i64 length) const;
  Outcome execute(const Launch& launch);
  ForwardRun run_forward(const TableInUse& table, i64 first_position, i64 positions, Dtype wanted);

  const RopeFormula formula_;
  std::unique_ptr<Executor> machine_;
  std::vector<Content> contents_;
  std::vector<ForwardRun> runs_;
  std::map<std::string, u32> made_;
  std::map<std::string, i32> forwards_;
  u64 launches_ = 0;
};

}  // namespace ropewalk::init
