// Rewrites a module so that it checks itself: every load, store and atomic to global, constant, shared and local memory
// and every index statement is looked at before it happens; a bad one is recorded and stepped over.
//
// The rewritten module has one more constant variable, the table, which whoever launches it must fill (TableLayout says
// how), and which points to a buffer for the records. Nothing else of it differs from outside: the same entries, the
// same parameters. The good path of an access costs a subtraction, a comparison with bounds out of the table and a
// branch that is not taken, and a test of the lowest bits where the access has an alignment.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/ptx/module.h"
#include "lib/ptx/provenance.h"

namespace ropewalk::ptx {

struct InstrumentOptions {
  bool memory = true;     // look at accesses: their bounds and
  bool alignment = true;  // whether they are aligned
  bool index = true;      // look at index statements
  u32 ranges = 16;        // entries of the table for the memory of a launch
};

// A location that is checked. Records name it by its number.
struct Site {
  enum class Kind : u8 { Load, Store, Atomic, Index };
  Kind kind = Kind::Load;
  Space space = Space::Global;  // as the instruction says; of the side that is checked, where it has two
  u32 bytes = 0;                // of one thread's access
  u32 function = 0;             // index into the original module's functions
  u32 instruction = 0;          // index into that function's instructions
  Origin origin;                // where its address comes from
};

// What an address that came by a parameter is checked against: the memory that the launch gives that parameter. The
// address that is compared is `displacement` bytes before the one that is touched.
struct Slot {
  Origin origin;
  i64 displacement = 0;
  u32 bytes = 0;  // of the access
  bool operator==(const Slot&) const;
};

// The slots of one entry, which share the table with those of the others.
struct EntrySlots {
  std::string entry;
  std::vector<Slot> slots;
};

// The bytes of the table. Numbers are little-endian.
struct TableLayout {
  static constexpr u32 records = 0;    // u64: address of the record buffer
  static constexpr u32 capacity = 8;   // u32: records that it holds
  static constexpr u32 searched = 12;  // u32: ranges that addresses of unknown origin are looked up in, the first ones
  static constexpr u32 dynamic_shared = 16;  // u32: bytes
  static constexpr u32 first_record = 20;    // u32: byte offset of the first record in the buffer
  static constexpr u32 ranges = 32;  // 32 bytes each: address, bytes, address of a bitmap (a bit a byte; 0: none), 0
  static constexpr u32 range_bytes = 32;
  // Of a slot: u64 lowest address less the displacement, u64 bytes less those of the access, u32 its range, 12 unused.
  // An address that is not within them is looked at closely, in that range, or in the nearest one where that is `any`.
  static constexpr u32 slot_bytes = 32;
  static constexpr u32 any = 0xffffffffu;
  u32 slots = 0;  // byte offset of the slots
  u32 bytes = 0;  // of the whole table
};

// The record buffer: total (u32), 12 bytes unused, a u64 count a site, then the records. Counts go on where the buffer
// is full.
struct Record {
  static constexpr u32 in_shared = 0xfffffffeu, in_local = 0xfffffffdu, in_variable = 0xfffffffcu;
  static constexpr u32 of_index = 0xfffffffbu, nowhere = 0xffffffffu;
  u32 block[3];
  u32 site;
  u32 thread[3];
  u32 range;    // a range's number, or one of those above
  i64 offset;   // from the start of the range, of shared memory, ...; of an index statement the index
  u64 address;  // of an index statement the bound
};
static_assert(sizeof(Record) == 48);
constexpr u32 record_counts = 16;  // byte offset of the counts by site

struct Instrumented {
  std::shared_ptr<const Module> module;
  std::vector<Site> sites;
  std::vector<EntrySlots> entries;
  TableLayout layout;
  std::vector<std::string> unchecked;  // opcodes that touch memory in ways that are not looked at, each once

  // The slots of the entry; none where it has none.
  const EntrySlots* slots_of(std::string_view entry) const;
};

// The name of the table.
constexpr std::string_view table_name = "ropewalk_table";

// Throws InputError where the module cannot be rewritten: 32-bit addresses, or rewritten already.
Instrumented instrument(const Module& module, const InstrumentOptions& options = {});

}  // namespace ropewalk::ptx
