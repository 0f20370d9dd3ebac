// A launch: a kernel entry, its grid, block and shared bytes, its tensors and arguments. What an executor runs.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/dtype.h"
#include "lib/base/shape.h"
#include "lib/ptx/module.h"
#include "lib/tensor/init.h"

namespace ropewalk {

struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64(x) * y * z; }
  bool operator==(const Dim3&) const = default;
};

// A part of a tensor with a name: rows are all dimensions but the last, flattened; both ranges are half-open.
struct Region {
  std::string name;
  i64 first_row = 0, last_row = 0;
  i64 first_column = 0, last_column = 0;
};

// By byte: those of its bits that nobody wrote, where these are some.
using UndefinedBits = std::unordered_map<u64, u8>;

// Memory that lives longer than a launch. The machine works on it in place; other executors refuse it.
struct Resident {
  std::byte* data = nullptr;   // of the tensor's first element
  u64* initialized = nullptr;  // a bit a byte; null: all bytes are, and nobody has to know
  // By which kernels know it in every launch: one that lib/machine/address.h gives a window to, or an address of this
  // process, which is then `data`. As a launch's argument it has an address of the launch.
  u64 address = 0;
  // A bit for each 2^granule_shift bytes that are there; null: all are. An access to others is no access.
  const u64* granules = nullptr;
  static constexpr u32 granule_shift = 21;
  bool is_aliased = false;  // its bytes may be those of another tensor, although `data` says nothing of it
  // The host sees it by copies alone, at which somebody looks: what a launch stores there that nobody wrote is no
  // finding yet (Outcome::undefined_stores).
  bool is_private = false;
  const UndefinedBits* undefined_bits = nullptr;  // of bytes that are not initialized; null: of none more is known
  // The bytes of the widest number that a launch may have stored there, up to now; null: nobody keeps it.
  u8* widest_stored = nullptr;
};

// An address in the memory of a launch, which is put in when the launch begins.
struct LaunchPointer {
  u64 at = 0;            // byte in the memory that holds it; 8 bytes are written
  i32 tensor = -1;       // index into Launch::tensors, or
  std::string variable;  // the name of a module-scope variable
  i64 offset = 0;        // bytes, added
};

struct LaunchTensor {
  std::string name;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Strides strides;  // elements; gap-free row-major unless given
  Init init = Fill{0};
  std::optional<Resident> resident;  // in place of `init`
  bool output = false;               // every element (of the regions, where there are any) must be written
  bool finite = false;               // NaN or Inf in it is a finding
  u32 alignment = 256;               // of its start, bytes
  bool freed = false;                // its memory was given back: an access is a finding
  std::vector<Region> regions;
  std::vector<LaunchPointer> pointers;         // put over what `init` says
  std::vector<std::pair<u64, u64>> unwritten;  // bytes [first, last) that nobody has written, whatever `init` says

  // Bytes from the first to the last element.
  u64 bytes() const { return u64(element_span(shape, strides)) * size_of(dtype); }
};

struct TensorArgument {
  u32 tensor = 0;   // index into Launch::tensors
  i32 region = -1;  // index into its regions, -1: the whole tensor
  i64 offset_elements = 0;
};
struct ScalarArgument {
  Dtype dtype = Dtype::I32;
  u64 bits = 0;
};
struct NullArgument {};
struct StructArgument {
  struct Part {
    u64 at = 0;
    std::variant<TensorArgument, ScalarArgument, NullArgument> value;
  };
  u64 bytes = 0;
  std::vector<Part> parts;
};
using Argument = std::variant<TensorArgument, ScalarArgument, NullArgument, StructArgument>;

// What a tensor should hold after the launch: |got - expected| <= atol + rtol * |expected| (or `bound` by element).
struct Expectation {
  u32 tensor = 0;
  std::shared_ptr<const Array> values;  // row-major in the tensor's shape; f64 where computed by a reference
  std::shared_ptr<const Array> bound;   // by element, absolute; null: atol and rtol
  std::optional<u32> same_as;           // another tensor of the launch, after it
  double atol = 0, rtol = 0;
};

// Which blocks to run: the first, the last and a seeded choice; 0: all.
struct BlockSample {
  u64 count = 0;
  u64 seed = 0;
};

// What a module-scope variable holds when the launch begins, in place of what the module says: `bytes`, with the
// addresses of tensors and of other module-scope variables put in.
struct LaunchVariable {
  std::string name;
  std::vector<std::byte> bytes;
  std::vector<LaunchPointer> pointers;
  i32 tensor = -1;  // it is this tensor of the launch, which is resident; in place of `bytes`
};

// Where a launch runs, as its caller set it; devices by the driver's numbers. Executors with one memory look at none of
// it and say so.
struct LaunchLocation {
  enum class Stream : u8 {
    Own,       // made for the launch
    Default,   // the null stream of the current context
    PerThread  // the default stream of the calling thread
  };
  std::optional<u32> device;          // that holds the tensors; none: the executor's choice
  std::optional<u32> current_device;  // whose context is current at the launch; none: the same
  Stream stream = Stream::Own;
  std::optional<u32> stream_device;  // on which a stream of its own is made; none: the current one

  bool operator==(const LaunchLocation&) const = default;
  bool is_given() const { return *this != LaunchLocation(); }
};
// "own", "default", "per-thread".
std::string_view name_of(LaunchLocation::Stream stream);

struct Launch {
  std::shared_ptr<const ptx::Module> module;
  std::string entry;        // name of the entry in the module
  std::string kernel_name;  // for people: the family's name, or the entry
  std::string target;       // "sm_80", for limits; empty: the module's
  Dim3 grid, block;
  u64 dynamic_shared_bytes = 0;
  bool is_cooperative = true;  // the whole grid has a barrier (cudaLaunchCooperativeKernel)
  std::vector<LaunchTensor> tensors;
  std::vector<Argument> arguments;  // trailing pointer parameters that are missing are null
  std::vector<LaunchVariable> variables;
  std::vector<Expectation> expectations;
  BlockSample blocks;
  LaunchLocation location;
  std::string source_path;  // of the launch file, for messages

  // The index of the tensor of that name, or -1.
  i64 tensor_named(std::string_view name) const;
};

}  // namespace ropewalk
