// What each event does to the ranks. The bytes come from the workshop.
#pragma once
#include <vector>

#include "lib/init/state.h"
#include "lib/init/workshop.h"

namespace ropewalk::init {

class Simulator {
 public:
  // `kernels`: rotary/apply, rotary/cache and faulty/rotary-cache-rounded-positions are among them.
  Simulator(const Plan& plan, const Kernels& kernels);

  const Plan& plan() const { return plan_; }
  const Kernels& kernels() const { return kernels_; }
  const Workshop& workshop() const { return workshop_; }
  const std::vector<Failure>& failures() const { return failures_; }

  // Ranks before the first event.
  UnitState initial(size_t ranks) const;
  // Happens on one rank of a unit; not for broadcasts. `rank` counts within the unit.
  void apply(UnitState& unit, u32 rank, u32 event);
  // The rank that a broadcast gives its values to this one: counted over the whole plan.
  u32 origin_of(u32 event, u32 rank) const;
  // What a rank gives in a broadcast.
  std::vector<BufferState> supply(const RankState& rank, u32 event) const;
  // A broadcast on one rank. `number` counts over the whole plan; `given` is its origin's supply.
  void receive(RankState& rank, u32 number, u32 event, const std::vector<BufferState>& given);

 private:
  struct Scope;

  void fail(RankState& rank, Failure failure, bool stops);
  void build(const Scope& scope, u32 buffer, i64 rows, bool scaled, ValueBranch branch);
  void build_own(const Scope& scope, u32 buffer, i64 rows, bool scaled, ValueBranch branch);
  void reset(const Scope& scope);
  void to_empty(const Scope& scope);
  void move(const Scope& scope);
  void cast(const Scope& scope);
  void load(const Scope& scope);
  void leave_zero_init(const Scope& scope);
  // What zero3 expects: it fetches parameters ahead, by the modules that the first forward was to call.
  void follow_trace(const Scope& scope);
  void forward(const Scope& scope);
  // Whether work on a stream races with what came before on the buffer's memory, which is a failure; it is remembered.
  bool races(RankState& rank, i16 event, u32 buffer, u32 accesses, bool host_waits = false);
  // A buffer gets memory of its own, with the values that it has.
  void copy_to_new_memory(const Scope& scope, u32 buffer, bool host_waits = false);
  void use(const Scope& scope, u32 buffer, bool from_frequencies);
  Failure explain(const Scope& scope, u32 buffer, const BufferState& state) const;

  const Plan plan_;
  const Kernels& kernels_;
  Workshop workshop_;
  std::vector<Failure> failures_;
};

// "in the graph that capture holds", ...: how a forward fails, in words of its run. For evidence.
std::string in_words(const ForwardRun& run);

}  // namespace ropewalk::init
