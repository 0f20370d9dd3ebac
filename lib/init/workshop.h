// Where the bytes of buffers are made and used: each build and each forward runs the kernels of kernels/rotary on the
// checked machine, once for each distinct input.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/family/kernel.h"
#include "lib/finding/finding.h"
#include "lib/init/plan.h"
#include "lib/init/streams.h"
#include "lib/launch/outcome.h"
#include "lib/tensor/array.h"

namespace ropewalk::init {

// What a buffer's memory holds. A table has cosine and sine [rows, pairs]; frequencies are `cosine` [pairs] alone.
struct Content {
  std::shared_ptr<const Array> cosine, sine;    // null: nobody wrote them
  u32 written_by = 0, frequencies_read_by = 1;  // numbers of accesses
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

// A table as a forward finds it, in f32.
struct TableInUse {
  u32 content = 0;
  i64 rows = 0;
  bool freed = false;      // the memory was given back
  bool elsewhere = false;  // the memory is on another device
};

// What came of a forward on the machine.
struct ForwardRun {
  std::vector<Finding> findings;  // of the machine's checks
  std::string refusal;            // the kernel's preconditions reject it; empty: it ran
  std::optional<Numbers> worst;   // where the output is furthest beyond its bound; empty: nowhere
  u64 wrong = 0, elements = 0;    // elements beyond their bound, and all
  u32 accesses = 0;               // number of what it did to the table

  bool good() const { return findings.empty() && refusal.empty() && wrong == 0; }
};

class Workshop {
 public:
  Workshop(const Plan& plan, const Kernels& kernels);
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
  // What launches did to buffers, by number. They are recorded where the plan has several streams.
  static constexpr u32 copy_in = 0, copy_out = 1;  // of all bytes
  const BufferAccesses& accesses(u32 number) const { return accesses_[number]; }
  u32 written_by(u32 content) const { return contents_[content].written_by; }
  u32 frequencies_read_by(u32 content) const { return contents_[content].frequencies_read_by; }
  // Launches that the machine has run.
  u64 launches() const { return launches_; }

 private:
  u32 keep(Content content);
  std::vector<double> frequencies_of(const Recipe& recipe, i64 length) const;
  // The values of a table that the cache kernel has built, times what the formula multiplies cos and sin with.
  std::shared_ptr<const Array> scaled(const Array& values, const RopeFormula& formula, Dtype dtype) const;
  u32 keep_accesses(const char* kernel, const Launch& launch, const Outcome& outcome,
                    const std::vector<std::string>& tensors);
  Outcome execute(const Launch& launch);
  ForwardRun run_forward(const TableInUse& table, i64 first_position, i64 positions, Dtype wanted);

  const RopeFormula formula_;
  const bool records_;
  const Kernels& kernels_;
  std::unique_ptr<Executor> machine_;
  std::vector<Content> contents_;
  std::vector<BufferAccesses> accesses_;
  std::vector<ForwardRun> runs_;
  std::map<std::string, u32> made_;
  std::map<std::string, i32> forwards_;
  u64 launches_ = 0;
};

}  // namespace ropewalk::init
