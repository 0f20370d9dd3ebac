// A PTX module as plain data: what the reader makes of a text, what the machine decodes and what the writer prints.
//
// Everything that repeats is kept once and referred to by number: opcodes, files and location chains by the module,
// registers, operands and labels by the function. Scopes are gone: a register or variable of an inner scope has a
// name of its own (the reader appends "$2", "$3", ... where a name was taken).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::ptx {

enum class Type : u8 {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F32x2,
  F64,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2
};
// Bytes of a value of the type; Pred counts 1, None 0.
u32 size_of(Type type);
// A floating-point number of 32 or 64 bits.
inline bool is_float(Type type) { return type == Type::F32 || type == Type::F64; }
// "b32"; None is "".
std::string_view name_of(Type type);
// None when `name` (without the dot) is no type.
Type type_named(std::string_view name);

enum class Space : u8 { Generic, Const, Global, Local, Param, Shared };
std::string_view name_of(Space space);

// An opcode with its modifiers, kept once a module: "ld.global.nc.v4.f32" has stem "ld" and the modifiers "global",
// "nc", "v4", "f32". "shared::cta" is one modifier. Index statements have the stem "@index".
enum class Op : u8;  // the row of instruction_table.h
struct InstructionRow;
struct InstructionFacts;
struct Opcode {
  explicit Opcode(std::string_view text);

  std::string text;
  std::string stem;
  std::vector<std::string> modifiers;
  Op op;
  std::vector<Space> spaces;                        // that it names, in its order
  Type first_type = Type::None, type = Type::None;  // the first and the last that it names
  u32 vector = 1;                                   // 2, 4 or 8 of .v2, .v4, .v8
  bool has(std::string_view modifier) const;
  const InstructionRow& row() const;
  const InstructionFacts& facts() const;
};

// A special register; x, y, z follow each other.
enum class Special : u8 {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  Clock64,
  ClockHi,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
  Envreg1,
  Envreg2,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize,
  ReservedSmemBegin,
  ReservedSmemEnd,
  ReservedSmemCap,
  ReservedSmem0,
  ReservedSmem1,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  Unknown  // any other %name: a reason to refuse only when a thread reaches it; the name is in Function::texts[id]
};

struct Operand {
  enum class Kind : u8 {
    Register,  // id: index into Function::registers
    Integer,   // value: the bits
    Float,     // value: the bits of a binary64 (decimal or 0d...)
    Float32,   // value: the bits of a binary32 (0f...)
    Special,   // id: Special; value: index into Function::texts for Unknown
    Variable,  // the address of a variable plus `value`; id: see variable numbering below
    Function,  // id: index into Module::functions (a callee, or an address taken)
    Label,     // id: index into Function::labels
    Address,   // [base + value]; pool[first] is the base (Register, Variable) if count is 1, an absolute address if 0.
               // Texture and tensor-map forms "[base, {a, b}]" have count > 1: pool[first] is the base, what follows
               // it in the brackets (Vector, Register, ...) are pool[first + 1], ...
    Vector,    // {a, b, ...}; pool[first, first + count)
    Pair,      // d|p of two results; pool[first], pool[first + 1]
    Sink,      // _
    Text       // id: index into Function::texts: the name of an index statement; the name of a call prototype or target
               // table (Function::tables); a register with a selector such as "%r1.b0"
  };
  Kind kind = Kind::Sink;
  bool negated = false;  // !%p of a predicate operand
  u32 id = 0;
  u32 first = 0;
  u32 count = 0;
  i64 value = 0;

  bool operator==(const Operand&) const = default;
};

// Variables are numbered through: ids below Module::variables.size() are the module's, the others are
// Function::variables[id - Module::variables.size()] (parameters first, then what the body declares).
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  u32 alignment = 0;         // bytes; 0: the natural one of the type
  u32 vector = 1;            // 2 or 4 for .v2, .v4
  std::vector<u64> extents;  // of an array; an extern array without a bound has {0}
  bool is_extern = false;
  bool is_pointer = false;  // a parameter that says .ptr
  bool is_managed = false;  // .attribute(.managed): the host reaches it at the same address
  std::string linkage;      // "visible", "extern", "weak", "common" or ""
  std::vector<u8> initial;  // the bytes given; shorter than the variable: the rest is zero
  // An address inside an initialiser: of 4 or 8 bytes as the type says, of 8 in an array of bytes.
  struct Relocation {
    u64 at = 0;
    std::string symbol;
    i64 offset = 0;
    bool generic = false;
    bool operator==(const Relocation&) const = default;
  };
  std::vector<Relocation> relocations;
  std::string pointer_space;  // of .ptr: "global", "shared", ... or ""
  u32 pointer_alignment = 0;  // of .ptr .align N

  u64 bytes() const;  // 0 for an extern array without a bound
  bool operator==(const Variable&) const = default;
};

// Only registers that something in the body names are kept, in the order in which they are first named.
struct Register {
  std::string name;
  Type type = Type::B32;
  bool operator==(const Register&) const = default;
};

// A source position. `inlined_at` is the position of the call that this one was inlined at (an index into
// Function::locations, 0: not inlined); `function` is the inlined function where the debug section tells it.
struct Location {
  u32 file = 0;  // index into Module::files
  u32 line = 0;
  u32 column = 0;
  u32 inlined_at = 0;
  u32 function = 0;  // index into Module::inlined_functions, 0: not given
  bool operator==(const Location&) const = default;
};

// A call's operands are: a Vector of the returned values (empty where there are none), the callee (Function or
// Register), a Vector of the arguments (empty where there are none), and of an indirect call the prototype or target
// table (Text). An index statement "//@index %r1 < %r2 : name" has the stem "@index" and the operands index, bound,
// Text.
struct Instruction {
  static constexpr u32 no_predicate = 0xffffffffu;
  u32 opcode = 0;         // index into Module::opcodes
  u32 first_operand = 0;  // into Function::operands
  u32 operand_count = 0;
  u32 predicate = no_predicate;  // register of @%p
  bool predicate_negated = false;
  u32 location = 0;  // index into Function::locations; 0: none
  u32 line = 0;      // of the PTX text, 1-based
  u32 column = 0;
};

struct Label {
  std::string name;
  u32 instruction = 0;  // the label stands before this one (may be instructions.size())
};

// A table for brx.idx, or the targets and prototypes of indirect calls: one of the three is filled.
struct LabelTable {
  std::string name;
  std::vector<u32> labels;     // of .branchtargets: indices into Function::labels
  std::vector<u32> functions;  // of .calltargets: indices into Module::functions
  std::string prototype;       // of .callprototype: "(.param .b32 _) _ (.param .b64 _)"
  bool operator==(const LabelTable&) const = default;
};

// A .pragma of a body, without its quotes: "nounroll", "used_bytes_mask 15".
struct Pragma {
  u32 instruction = 0;  // it stands before this one (may be instructions.size())
  std::string text;
  bool operator==(const Pragma&) const = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  std::string linkage;                  // "visible", "extern", "weak" or ""
  std::vector<std::string> directives;  // between head and body, as written: ".maxntid 128, 1, 1", ".noreturn", ...
  std::string alias;                    // by .alias: the function that this one is another name of
  u32 return_count = 0;                 // of a .func: the first variables are the returned values
  u32 parameter_count = 0;              // then come the parameters
  std::vector<Variable> variables;
  std::vector<Register> registers;
  std::vector<Operand> operands;  // the pool: parts of an instruction's addresses and vectors, then its operands, ...
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<LabelTable> tables;
  std::vector<Pragma> pragmas;                  // by instruction, ascending
  std::vector<Location> locations{Location{}};  // [0] is "none"
  std::vector<std::string> texts;
  u32 line = 0;  // of the PTX text: where the name stands

  const Variable& parameter(u32 n) const { return variables[return_count + n]; }
  // Largest threads a block by .reqntid / .maxntid, 0: not given. `required` is set where .reqntid gives it exactly.
  u32 block_threads(bool* required) const;
  // Blocks of a cluster by .reqnctapercluster; 1: none is asked for.
  u32 cluster_blocks() const;
};

struct Module {
  std::string path;     // for messages
  std::string version;  // "8.8"
  std::string target;   // "sm_80", with what follows a comma; "debug" is left out, as debug sections are not kept
  u32 address_size = 64;
  std::vector<std::string> files{""};              // by .file number
  std::vector<std::string> inlined_functions{""};  // mangled names, each once
  std::vector<Opcode> opcodes;
  std::vector<Variable> variables;
  std::vector<Function> functions;

  // nullptr when there is none. A unique function whose name contains `name` is taken where none is equal.
  const Function* entry(std::string_view name) const;
  const Opcode& opcode(const Instruction& instruction) const { return opcodes[instruction.opcode]; }
  // By its number in a function of this module (see Variable).
  const Variable& variable(const Function& function, u32 id) const {
    return id < variables.size() ? variables[id] : function.variables[id - variables.size()];
  }
};

// Whether two modules say the same (the numbering of opcodes and positions in the text do not count).
bool same(const Module& a, const Module& b);

}  // namespace ropewalk::ptx
