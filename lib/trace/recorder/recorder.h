// What a trace keeps of a program's driver calls, and what it writes when one of them tells of an error.
#pragma once
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "lib/gpu/cupti_api.h"
#include "lib/trace/recorder/allocations.h"
#include "lib/trace/recorder/calls.h"
#include "lib/trace/recorder/contents.h"
#include "lib/trace/recorder/launch_ring.h"
#include "lib/trace/recorder/operations.h"

namespace ropewalk::trace {

struct RecorderOptions {
  std::string folder;        // where the record goes
  u64 keep = 32;             // launches
  bool serialize = false;    // wait after every launch, so that an error is that launch's
  u64 save_bytes = 0;        // memory that is saved before a launch; 0: none
  u64 at = 0;                // the one launch before which it is saved; 0: each
  bool is_blocking = false;  // CUDA_LAUNCH_BLOCKING: the driver itself waits after every launch
};

// One call of the driver, as it begins or ends.
struct Call {
  const char* name;
  CallKind kind;
  bool ends;
  gpu::Result result;
  u32 context;  // the current one: its number, and its handle
  Handle current;
  const char* symbol;
  u64* kept;  // carries a word from the call's beginning to its end: its order, or of a launch its number
  bool worked() const { return ends && result == gpu::success; }
};

class Recorder {
 public:
  explicit Recorder(const RecorderOptions& options);

  // A call by its parameters. Where it ends with an error that a trace is about, the record is written.
  template <class Parameters>
  void on(const Parameters& parameters, const Call& call) {
    if (!call.ends) {
      begins(parameters, call);
      return;
    }
    ends(parameters, call);
    if (call.result != gpu::success) failed(call, is_launch(parameters) ? *call.kept : 0);
  }

  // The process begins to use CUDA; `problem`: why it is not traced. It ends.
  void started(const std::string& problem, const std::string& cupti);
  void finished();

 private:
  static constexpr bool is_launch(const LaunchCall&) { return true; }
  static constexpr bool is_launch(const CooperativeCall&) { return true; }
  static constexpr bool is_launch(const ConfiguredLaunchCall&) { return true; }
  static constexpr bool is_launch(const GraphCall&) { return true; }
  template <class Other>
  static constexpr bool is_launch(const Other&) {
    return false;
  }

  // The beginning of any call but a launch: its index in the order of calls.
  template <class Other>
  void begins(const Other&, const Call& call) {
    *call.kept = ++order_;
  }
  void begins(const LaunchCall& launch, const Call& call);
  void begins(const CooperativeCall& launch, const Call& call);
  void begins(const ConfiguredLaunchCall& launch, const Call& call);
  void begins(const GraphCall& launch, const Call& call);
  void begins_launch(const LaunchShape& shape, const Call& call);

  void ends(const LaunchCall& launch, const Call& call) { ends_launch(launch.stream, call); }
  void ends(const CooperativeCall& launch, const Call& call) { ends_launch(launch.stream, call); }
  void ends(const ConfiguredLaunchCall& launch, const Call& call) { ends_launch(launch.config->stream, call); }
  void ends(const GraphCall& launch, const Call& call) { ends_launch(launch.stream, call); }
  void ends_launch(Handle stream, const Call& call);
  void ends(const AllocateCall& allocate, const Call& call);
  void ends(const PitchCall& allocate, const Call& call);
  void ends(const RegisterCall& mapped, const Call& call);
  void ends(const VariableCall& variable, const Call& call);
  void ends(const ReleaseCall& release, const Call& call);
  void ends(const UnmapCall& unmap, const Call& call);
  void ends(const LoadCall& load, const Call& call);
  void ends(const LoadFileCall& load, const Call& call);
  void ends(const UnloadCall& unload, const Call& call);
  void ends(const CreateStreamCall& create, const Call& call);
  void ends(const DestroyStreamCall& destroy, const Call& call);
  void ends(const StreamCall& stream, const Call& call);
  void ends(const CaptureCall& capture, const Call& call);
  void ends(const EndCaptureCall& capture, const Call& call);
  void ends(const ContextCall& context, const Call& call);
  void ends(const NamedContextCall& named, const Call& call);
  void ends(const RecordEventCall& record, const Call& call);
  void ends(const WaitEventCall& wait, const Call& call);
  void ends(const EventCall& event, const Call& call);
  void ends(const CopyCall& copy, const Call& call);
  void ends(const CopyBackCall& copy, const Call& call);
  void ends(const CopyOnStreamCall& copy, const Call& call);
  void ends(const SetCall& set, const Call& call);
  void ends(const SetOnStreamCall& set, const Call& call);
  void ends(const OtherCall&, const Call&) {}

  Stream& stream_of(Handle stream, const Call& call) { return streams_.of(call.context, stream, call.kind.per_thread); }
  void operation(const Call& call, Address to, Address from, u64 bytes, Handle stream);
  bool is_capturing(Handle stream) const;
  bool is_saved(u64 launch) const { return options_.save_bytes && (!options_.at || options_.at == launch); }
  // The call reported an error; `launch` is the number of the launch that it was, 0: none.
  void failed(const Call& call, u64 launch);
  // Puts all that is known now into the record, and writes it. `code` is 0 where a launch is only captured.
  void report(gpu::Result code, const Call& call, u64 launch, bool by_itself);
  nlohmann::ordered_json json_of_launch(const LaunchSlot& slot, u64 number);
  void write();

  RecorderOptions options_;
  DriverQuestions driver_;
  Allocations allocations_;
  Images images_;
  Functions functions_{driver_, images_};
  Streams streams_;
  Operations operations_;
  LaunchRing launches_;
  Contents contents_;
  std::atomic<u64> order_{0};
  std::atomic<int> captures_{0};  // streams that are being captured into graphs

  std::mutex one_launch_;  // with `serialize`: from a launch's beginning until the device was waited for
  std::mutex mutex_;       // of the record
  nlohmann::ordered_json record_;
  bool reported_refusal_ = false, reported_fault_ = false;
};

}  // namespace ropewalk::trace
