// A kernel decoded as far as it can be without knowing the tier that will run it: values and steps.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/machine/decode/bit_flow.h"
#include "lib/machine/decode/scalar_widths.h"
#include "lib/machine/mode.h"
#include "lib/machine/op.h"
#include "lib/machine/order/scope.h"
#include "lib/ptx/flow.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/matrix_forms.h"
#include "lib/ptx/module.h"
#include "lib/ptx/provenance.h"

namespace ropewalk::machine {

// Anything an operation can read: a register, a temporary, a special register, a constant.
struct Value {
  enum class Source : u8 { Register, Temporary, Special, Constant };
  Source source = Source::Register;
  u8 size = 4;  // bytes of a lane; predicates have 1 (0 or 0xff)
  bool is_predicate = false;
  u64 constant = 0;  // bits
  ptx::Special special = ptx::Special::Unknown;
  u32 register_id = 0;  // of Register: index into the function's registers
};

constexpr u32 no_value = 0xffffffffu;
// Bytes of shared memory that the system keeps in each block for itself, since sm_80 (CUDA C++ Programming Guide,
// "Compute Capability 8.x"). Cooperative groups live there; PTX names it by %reserved_smem_offset_*.
constexpr u64 reserved_shared_memory = 1024;

// Points of a code between which a value is alive (decode/live.h); first > last: nowhere.
struct LiveRange {
  u32 first = 0xffffffffu, last = 0;
  bool contains(u32 point) const { return first < point && point <= last; }
};

// See decode/cycles.h.
struct Cycle {
  std::vector<u32> blocks;    // basic blocks, ascending
  std::vector<u32> deciding;  // the values that branches, memory or other lanes are given in it, or that go into these
};

enum class StepKind : u8 {
  Compute,  // d = handler(a, b, c, e)
  Load,
  Store,
  Atomic,
  AsyncCopy,
  AsyncCommit,
  AsyncWait,
  LoadMatrix,
  StoreMatrix,
  MultiplyMatrix,
  MoveMatrix,
  Branch,
  BranchTable,
  Exit,
  Barrier,
  WarpBarrier,
  Fence,
  Sleep,
  GridControl,  // griddepcontrol; `immediate` says which: see decode/grid_wait.h
  Shuffle,
  Vote,
  Match,
  Reduce,
  ActiveMask,
  Elect,
  IndexStatement,
  Print,
  Assert,
  Trap,
  StrayCall,   // of an address that no call here goes to; `text` says why one of a function of the module cannot be run
  Nothing,     // hints
  Unsupported  // `text` says what
};

enum class MemorySpace : u8 { Generic, Global, Shared, Local, Constant, Parameter };
std::string_view name_of(MemorySpace space);

// A memory operand and what happens with it.
struct MemoryStep {
  MemorySpace space = MemorySpace::Generic;
  u8 element_bytes = 4;  // of one element
  u8 count = 1;          // elements a lane: 1, 2, 4, 8
  bool sign_extend = false;
  Strength strength = Strength::Weak;
  Scope scope = Scope::System;  // of one that is not weak
  bool is_strong() const { return strength != Strength::Weak; }
  bool arrives() const { return operation == AtomicOperation::Arrive || operation == AtomicOperation::ArriveAndDrop; }
  bool is_noncoherent = false;  // ld.global.nc: of memory that is read-only as long as the kernel runs
  bool is_update = false;       // of a strong store, and the load before it: see lib/ptx/updates.h
  bool is_early = false;        // before griddepcontrol.wait: see decode/grid_wait.h
  u32 address = no_value;       // value of 4 or 8 bytes; no_value: absolute
  i64 offset = 0;
  u32 values[8] = {no_value, no_value, no_value, no_value, no_value, no_value, no_value, no_value};
  ptx::Type type = ptx::Type::B32;
  AtomicOperation operation = AtomicOperation::Add;  // of atomics
  u32 second_operand = no_value;                     // of cas
  bool has_result = false;                           // atom, not red
  bool is_phase_test = false;        // a wait for a phase of an mbarrier, whose bit is in second_operand
  u8 vector_bytes = 0;               // of the first element of a vector atomic: of all, to which it must be aligned
  bool arrives_with_copies = false;  // an arrival at one that waits for the thread's copies
  u64 used_bytes = ~u64(0);          // of a load, a bit each: the others are padding (.pragma "used_bytes_mask")
  u8 pads_to = 0;                    // of a load that may be of a struct's padding (decode/struct_tails.h): up to a
                                     // multiple of so many bytes, the widest scalar of the struct; 0: it is not
  u8 aligned_to = 0;                 // of a load: the struct that it is a part of may be aligned to up to so many bytes
  // The bytes of shared, local or parameter memory that it may touch: of the variables that the address comes from
  // (`variable`, where that is one), all where that is not known. The end of dynamic memory is a launch's own.
  u32 first_byte = 0, last_byte = 0xffffffffu, variable = no_value;
  // of cp.async: the global side; `address` is the shared side
  u32 source_address = no_value;
  i64 source_offset = 0;
  u32 source_size = no_value;    // value with the bytes to copy; the rest is zero-filled
  u32 ignore_source = no_value;  // predicate
};

// One PTX instruction (or a part of one, where it needs a conversion before or after).
struct Step {
  StepKind kind = StepKind::Nothing;
  u32 instruction = 0;  // index into the function's instructions
  u32 predicate = no_value;
  bool predicate_negated = false;
  bool pure = false;          // result depends on the operands alone
  bool is_clock = false;      // it is the time
  Handler vector = nullptr;   // for all lanes of a context
  Handler uniform = nullptr;  // the same, once, where all operands are uniform; nullptr: never uniform
  u32 d = no_value, a = no_value, b = no_value, c = no_value, e = no_value;
  u32 d2 = no_value;  // the second result of setp, shfl
  u64 immediate = 0;
  u32 target = 0;            // of branches: instruction index
  std::vector<u32> targets;  // of a branch table
  std::unique_ptr<MemoryStep> memory;
  std::vector<u32> inputs;   // of warp-wide steps and prints: all values read
  std::vector<u32> outputs;  // and written
  Mode mode;                 // what its modifiers choose
  std::string text;          // a name, the reason of Unsupported
  ptx::MatrixForm matrix;    // of MultiplyMatrix
  // What checks want to know.
  ptx::Type result_float = ptx::Type::None;  // the float type of the result, where it is one
  bool overflow_matters = false;  // 32-bit index arithmetic that flows into an address (see decode/address_flow.h)
  ptx::Calculation calculation = ptx::Calculation::None;                 // of 32-bit integers
  bool is_signed = false;                                                // of Extend: by the sign
  bool is_move = false;                                                  // d = a
  BitFlow flow;                                                          // of Compute
  bool is_select() const { return flow.kind == BitFlow::Kind::Select; }  // d = c ? a : b
};

struct Code {
  std::shared_ptr<const ptx::Module> module;
  ptx::Function function;  // the entry, its calls inlined
  ptx::Flow flow;
  std::vector<Value> values;  // registers first, in the order of the function
  std::vector<Step> steps;
  std::vector<u32> first_step;       // by instruction; one more at the end
  std::vector<u32> variable_offset;  // by function variable, in its space; no_value: another entry's
  std::vector<ptx::Origin> origins;  // by instruction: which parameter the address of a memory access came by
  std::vector<u32> constant_of;  // by value: the constant that it is, itself or by the only move to it; else no_value
  std::vector<LiveRange> live;   // by value
  std::vector<Cycle> cycles;
  std::vector<u32> cycle_of;  // by basic block: index into cycles; no_value: none has it
  // By value: it is computed from what the clock told. Empty: that is not known, for some of it may lie in memory of
  // the thread's own.
  std::vector<bool> is_time;
  ScalarWidths scalar_widths;
  std::vector<bool> is_read;  // by value: some step reads it
  std::vector<bool>
      is_exchanged;  // by value: lanes of a warp give it to each other (decode/exchanged_values.h); empty: none does
  u32 carry = no_value;  // the carry flag, where an instruction uses it
  // Shared memory of a block: what the system keeps for itself (0 where the kernel does not ask for it), the static
  // variables, the dynamic ones.
  u64 reserved_shared_bytes = 0;
  u64 static_shared_bytes = 0;
  u64 parameter_bytes = 0;
  u64 local_bytes = 0;  // of the depot, a lane
  u32 dynamic_shared_offset = 0;
  bool has_global_atomics = false;
  bool reads_clock = false;
  // Threads order what they do by more than barriers of the whole block: where the cheap evidence leaves it open
  // whether they race, it takes the order of events (lib/machine/order); where they may wait for each other, it always
  // does.
  bool synchronises = false;
  bool orders_shared = false;           // the same, where that may order accesses to shared memory
  bool synchronises_in_shared = false;  // by atomics, or strong accesses, to shared memory itself
  bool exchanges = false;  // lanes of a warp by shuffles and votes: a race among them is judged by what these part
  bool needs_order = false;
  bool uses_grid_workspace = false;
  bool waits_for_grid = false;  // griddepcontrol.wait
  bool is_cooperative = true;   // what %envreg1 and %envreg2 say: whether the grid has a barrier
  u32 shared_granule = 4;       // smallest access to shared memory, bytes (1, 2 or 4),
  u32 global_granule = 4;       // and to global memory

  // Whether some step looks at what this one gives.
  bool looks_at(const Step& step) const { return step.d != no_value && is_read[step.d]; }
  const ptx::Instruction& instruction_of(const Step& step) const { return function.instructions[step.instruction]; }
};

}  // namespace ropewalk::machine
