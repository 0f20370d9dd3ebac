// The virtual GPU of this process: what was asked for, its memory, its machine, and what is found.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/driver/device.h"
#include "lib/driver/memory.h"
#include "lib/driver/options.h"
#include "lib/driver/record.h"
#include "lib/driver/result.h"
#include "lib/driver/stream_order.h"
#include "lib/launch/outcome.h"

namespace ropewalk::driver {

class Backlog;
class Contexts;

class Session {
 public:
  explicit Session(Options options);
  ~Session();
  // The process's own, made at the first call. It lives to the end of the process, for programs call the driver from
  // destructors of static objects.
  static Session& of_process();

  // Held by whoever uses anything below.
  std::recursive_mutex& mutex() { return mutex_; }

  const Options& options() const { return options_; }
  DeviceMemory& memory() { return memory_; }
  Executor& machine() { return *machine_; }
  Record& record() { return record_; }
  Contexts& contexts() { return *contexts_; }
  const DeviceInfo& device() const { return device_; }
  StreamOrder& order() { return order_; }
  Backlog& backlog() { return *backlog_; }
  // There is one more stream, or a graph with several branches or a second context.
  void add_stream(bool is_blocking);
  void add_branches();
  // What a call does to memory, as the current operation of a stream. verb: see Operation.
  void touch(std::vector<Touched> all, const std::string& call, const char* verb = "");
  void report(const StreamRace& race);

  // Adds a finding. Its id is made here.
  void report(Finding finding);
  // What a kernel stored that nobody wrote is used. by: where, as lines of evidence.
  void report(const UndefinedStored& stored, const std::vector<std::string>& by);
  // A call that the virtual GPU does not have; with the location of the caller it goes into the report.
  void unsupported(const std::string& function);
  // NVIDIA's own runtime asks for the driver's private tables, which are not here: what its library was called for is
  // not run.
  void no_private_tables();
  // Texts of a kernel's printf and of assertions that failed: they go to the standard output and the standard error
  // stream at the next synchronisation, as on a GPU.
  void print(const std::vector<std::string>& texts, const std::vector<std::string>& complaints);
  void synchronize();
  // Everything of the device, or of the process, is about to go: what is not freed is reported, if leaks are asked
  // for. when: "the device is reset".
  void report_leaks(const char* when, std::optional<u32> device = std::nullopt);
  // The process ends: what leaked, and the end of the record.
  void end();
  // In the child of a fork.
  void forked();
  // The driver was initialised (cuInit). A child that is forked behind that cannot use it.
  void initialize() { is_initialized_ = true; }
  // Takes note of which devices the program sees, by its environment as it is now. NoDevice: none; InvalidDevice: it
  // names one twice.
  Result look_for_devices();
  bool is_initialized() const { return is_initialized_; }
  bool is_of_parent() const { return is_of_parent_; }
  // Called with each finding, besides the record. May be empty.
  std::function<void(const Finding&)> on_finding;
  // Called with the reason where a launch could not be checked. May be empty.
  std::function<void(const std::string&)> on_not_run;
  std::set<const class Kernel*> kernels;  // of all modules that are loaded
  u64 matching_launches = 0;              // so far, of the kernels that are checked
  u64 streams = 0;                        // that the program made
  bool lost_values =
      false;         // a launch or a call of a library was not run: what later ones read may not be what it should
  u64 captured = 0;  // launches that were written to files

 private:
  void report(const MemoryDefect& defect);
  void follow();

  Options options_;
  const u32 all_devices_;  // whether the program sees them or not
  const DeviceInfo device_;
  std::recursive_mutex mutex_;
  Record record_;
  DeviceMemory memory_;
  std::unique_ptr<Executor> machine_;
  std::unique_ptr<Contexts> contexts_;
  StreamOrder order_;
  std::unique_ptr<Backlog> backlog_;
  std::string printed_, complaints_;
  bool is_initialized_ = false, is_of_parent_ = false;
};

// The session with its mutex held.
class Held {
 public:
  explicit Held(Session& session = Session::of_process());
  ~Held();
  Held(const Held&) = delete;
  Session* operator->() const { return &session_; }
  Session& operator*() const { return session_; }

 private:
  Session& session_;
};

// The mutex as a lock that lets go of all that the calling thread holds of it, for condition variables.
class AllUnlocked {
 public:
  explicit AllUnlocked(Session& session) : session_(session) {}
  void lock();
  void unlock();

 private:
  Session& session_;
  int times_ = 0;
};

}  // namespace ropewalk::driver
