// The arguments of the driver calls that a trace listens to, as CUPTI hands them over: the first members of the structs
// of the toolkit's generated_cuda_meta.h, as many as are read. A test holds them against that header.
#pragma once
#include <cstddef>

#include "lib/base/types.h"

namespace ropewalk::trace {

using Handle = void*;
using Address = u64;

struct LaunchCall {
  Handle function;
  u32 grid[3], block[3], shared_bytes;
  Handle stream;
  void** parameters;
  void** extra;
};
struct CooperativeCall {
  Handle function;
  u32 grid[3], block[3], shared_bytes;
  Handle stream;
  void** parameters;
};
// CUlaunchConfig
struct LaunchConfig {
  u32 grid[3], block[3], shared_bytes;
  Handle stream;
};
struct ConfiguredLaunchCall {
  const LaunchConfig* config;
  Handle function;
  void** parameters;
  void** extra;
};
struct GraphCall {
  Handle graph, stream;
};

struct AllocateCall {
  Address* address;
  std::size_t bytes;
};
struct PitchCall {
  Address* address;
  std::size_t *pitch, width, height;
};
struct RegisterCall {
  Address address;
  std::size_t bytes;
};
struct ReleaseCall {
  Address address;
};
struct UnmapCall {
  Address address;
  std::size_t bytes;
};
struct VariableCall {
  Address* address;
  std::size_t* bytes;
  Handle module;
  const char* name;
};

struct LoadCall {
  Handle* module;
  const void* image;
};
struct LoadFileCall {
  Handle* module;
  const char* path;
};
struct UnloadCall {
  Handle module;
};

struct CreateStreamCall {
  Handle* stream;
  u32 flags;
};
struct DestroyStreamCall {
  Handle stream;
};
struct StreamCall {
  Handle stream;
};
struct CaptureCall {
  Handle stream;
};
struct EndCaptureCall {
  Handle stream;
};
struct ContextCall {};  // of the current context
struct NamedContextCall {
  Handle context;  // null: the current one
};
struct RecordEventCall {
  Handle event, stream;
};
struct WaitEventCall {
  Handle stream, event;
};
struct EventCall {
  Handle event;
};

struct CopyCall {
  Address to, from;
  std::size_t bytes;
};
struct CopyBackCall {
  Address to, from;
  std::size_t bytes;
};  // to the host: has happened when the call returns
struct CopyOnStreamCall {
  Address to, from;
  std::size_t bytes;
  Handle stream;
};
struct SetCall {
  Address to;
  u32 value;
  std::size_t count;
};
struct SetOnStreamCall {
  Address to;
  u32 value;
  std::size_t count;
  Handle stream;
};
struct OtherCall {};  // may tell of an error; nothing else is kept of it

}  // namespace ropewalk::trace
