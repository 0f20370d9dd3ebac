#include "lib/driver/session.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "lib/driver/backlog.h"
#include "lib/driver/context.h"
#include "lib/driver/ending.h"
#include "lib/driver/foreign_runtime.h"
#include "lib/driver/host_fault.h"
#include "lib/driver/launch_findings.h"
#include "lib/driver/public_call.h"
#include "lib/driver/rank.h"
#include "lib/driver/symbols.h"
#include "lib/driver/visible_devices.h"
#include "lib/finding/merge.h"
#include "lib/machine/machine.h"

namespace ropewalk::driver {

namespace {

Session* of_this_process = nullptr;

Session* made_for_process() {
  // Never given back: see of_process.
  try {
    of_this_process = new Session(options_of_process());
  } catch (const std::exception& error) {
    fmt::print(stderr, "ropewalk: {}\n", error.what());
    std::_Exit(2);
  }
  watch_host_accesses();
  watch_endings();
  pthread_atfork([] { of_this_process->mutex().lock(); }, [] { of_this_process->mutex().unlock(); },
                 [] { of_this_process->forked(); });
  return of_this_process;
}

// The session ends behind the destructors of the program's static objects, which free memory: what exits first is what
// was registered last, and this is when the library is loaded, before the program makes such objects. Not by atexit,
// which static_objects.cpp takes the effect from.
[[gnu::constructor]] void end_with_process() {
  const auto end = [](int, void*) {
    if (of_this_process) Held(*of_this_process)->end();
  };
  on_exit(end, nullptr);
}

}  // namespace

Session::Session(Options options)
    : options_(std::move(options)),
      all_devices_(options_.devices),
      device_(device_info(options_)),
      record_(options_.folder),
      memory_(device_.memory_bytes, [this](const MemoryDefect& defect) { report(defect); }),
      machine_(machine::make_machine()),
      contexts_(std::make_unique<Contexts>()),
      backlog_(std::make_unique<Backlog>(*this)) {
  contexts_->on_several = [this] { add_branches(); };
  // What is done before the second stream is there counts, too, where one can be expected.
  if (options_.checks.has(Check::Races) && (options_.devices > 1 || program_links("StreamCreate"))) {
    order_.expect_branches();
    follow();
  }
  memory_.on_undefined = [this](const UndefinedStored& stored, const std::string& call) {
    std::vector<std::string> by;
    add_stack(by, "the value is copied to the host by " + PublicCall::name_or(call), CallStack::here().lines());
    report(stored, by);
  };
  memory_.on_unwritten = [this](const Allocation& at, u64 byte, const std::string& call) {
    const std::vector<std::string> lines = CallStack::here().lines();
    const std::string caller = lines.empty() ? "" : " at " + lines[0];
    record_.note(fmt::format("{}{} copies {} to the host, of which nobody wrote byte {}", PublicCall::name_or(call),
                             caller, at.text(), byte),
                 caller);
  };
  memory_.on_result = [this](const UndefinedStored& stored, const Allocation& at) {
    report(stored, {fmt::format("nothing reads {} afterwards, so the value counts as a result", at.text())});
  };
  memory_.on_check = [this] { record_.host_operation(); };
}

Session::~Session() = default;

Result Session::look_for_devices() {
  const std::optional<std::vector<u32>> visible = visible_devices_of_process(all_devices_);
  options_.visible = visible.value_or(std::vector<u32>());
  options_.devices = u32(options_.visible.size());
  return !visible ? Result::InvalidDevice : options_.devices ? Result::Success : Result::NoDevice;
}

Session& Session::of_process() {
  static Session* const session = made_for_process();
  return *session;
}

void Session::forked() {
  new (&mutex_) std::recursive_mutex;  // its owner is a thread of the parent
  record_.forked();
  backlog_->forget();
  is_of_parent_ = is_initialized_;
  printed_.clear();
  complaints_.clear();
}

void Session::report(Finding finding) {
  identify(finding);
  if (const std::optional<u32> rank = rank_of_process()) finding.occurrences.ranks = {*rank};
  record_.finding(finding);
  if (on_finding) on_finding(finding);
}

void Session::report(const UndefinedStored& stored, const std::vector<std::string>& by) {
  for (const auto& [deferred, complete, failed, reported, readers] : stored) {
    Finding finding = deferred;
    if (complete) complete(finding);
    if (!std::exchange(*failed, true)) record_.launch_failed(finding.kernel_name);
    finding.evidence.insert(finding.evidence.end(), by.begin(), by.end());
    if (reported->insert(defect_key(finding)).second) report(std::move(finding));
  }
}

void Session::report(const MemoryDefect& defect) {
  // The caller is a part of what is reported: without a source location it tells defects apart.
  const CallStack here = CallStack::here();
  const bool is_leak = defect.rule == Rule::MemoryLeak && defect.allocation;
  const std::string caller = is_leak ? defect.allocation->made_at.function() : here.function();
  const std::string call = is_leak ? defect.call : PublicCall::name_or(defect.call);
  Finding finding = finding_once(
      defect.rule, defect.message + (caller.empty() ? "" : (is_leak ? ", of " : ", in ") + caller), call, call);
  finding.location = is_leak ? defect.allocation->made_at.location() : here.location();
  finding.access = defect.access;
  const AddedBy* const node = is_leak ? nullptr : order_.node();
  if (node && !node->at.empty()) {
    finding.location = node->at.location();
    add_stack(finding.evidence, fmt::format("a node of the graph, added by {}", node->call), node->at.lines());
  }
  if (!is_leak) add_stack(finding.evidence, node ? "launched" : "called", here.lines());
  if (lost_values && defect.rule == Rule::UninitializedRead) doubt(finding);
  if (const Allocation* at = defect.allocation) {
    add_stack(finding.evidence, fmt::format("{} was made by {}", at->text(), at->made_by), at->made_at.lines());
    if (at->freed) add_stack(finding.evidence, fmt::format("and freed by {}", at->freed_by), at->freed_at.lines());
  }
  report(std::move(finding));
}

// Copies and fills say what they touch where somebody asks.
void Session::follow() {
  if (!order_.is_followed() || memory_.on_touch || !options_.checks.has(Check::Races)) return;
  memory_.on_touch = [this](std::vector<Touched> all, const std::string& call) { touch(std::move(all), call); };
}

void Session::add_stream(bool is_blocking) {
  if (options_.checks.has(Check::Races)) order_.add_stream(is_blocking);
  follow();
}

void Session::add_branches() {
  if (options_.checks.has(Check::Races)) order_.add_branches();
  follow();
}

void Session::touch(std::vector<Touched> all, const std::string& call, const char* verb) {
  const auto describe = [&](Operation& operation) {
    operation.name = PublicCall::name_or(call);
    operation.verb = verb;
    operation.called_at = CallStack::here();
  };
  order_.touch(std::move(all), describe, [this](const StreamRace& race) { report(race); });
}

void Session::report(const StreamRace& race) {
  Finding finding = describe(race);
  identify(finding);
  if (on_finding || !record_.has(finding.id)) {
    finding.evidence = evidence_of(race);
    if (!options_.capture.empty())
      finding.evidence.push_back("no launch is captured for it: a race between operations shows in the run alone");
  }
  report(std::move(finding));
}

void Session::unsupported(const std::string& function) {
  const std::vector<std::string> lines = CallStack::here().lines();
  record_.unsupported(function, lines.empty() ? "" : lines[0]);
}

namespace {

// Why the call was not run, and what to do.
const char* reason_of(const ForeignCall& call) {
  if (call.library.starts_with("libcudart.so"))
    return "NVIDIA's own runtime was found before the virtual one, takes no other driver, and the call failed: what "
           "starts the program puts another folder first into LD_LIBRARY_PATH, or the program has an RPATH (not "
           "RUNPATH)";
  if (call.is_python)
    return "NVIDIA's own runtime is inside, which takes no other driver, and the call failed: use cuda.bindings.driver";
  if (call.is_known)
    return "the library has NVIDIA's own runtime inside, which takes no other driver: the call failed, and nothing is "
           "computed by the library";
  return "NVIDIA's own runtime is inside, which takes no other driver, and the call failed: build it with CUDA 12 or "
         "13 "
         "and do not strip it, or build it with nvcc -cudart shared";
}

}  // namespace

void Session::no_private_tables() {
  const std::optional<ForeignCall> call = foreign_call();
  if (!call) return unsupported("cuGetExportTable");
  lost_values = true;
  const std::string what =
      call->function.empty() ? "a call of " + call->library : fmt::format("{} of {}", call->function, call->library);
  record_.not_run(what, reason_of(*call));
}

void Session::print(const std::vector<std::string>& texts, const std::vector<std::string>& complaints) {
  for (const std::string& text : texts) printed_ += text;
  for (const std::string& text : complaints) complaints_ += text;
}

void Session::synchronize() {
  const auto write = [](std::string& text, std::FILE* to) {
    if (!text.empty()) std::fwrite(text.data(), 1, text.size(), to);
    text.clear();
  };
  write(printed_, stdout);
  write(complaints_, stderr);
}

void Session::report_leaks(const char* when, std::optional<u32> device) {
  if (!options_.leaks) return;
  // Where a kernel broke the context, nothing can be freed.
  std::set<u32> broken;
  for (const Context* context : contexts_->all()) {
    if (context->error != Result::Success) broken.insert(context->device);
  }
  for (const Allocation* at : memory_.live()) {
    if (broken.contains(at->device)) continue;
    if (at->kind == MemoryKind::Lent || !at->name.empty()) continue;  // not the program's to free
    if (at->range || at->is_imported()) continue;  // addresses, which are no memory, and memory of another process
    if (device && (at->device != *device || at->kind == MemoryKind::Host)) continue;
    report(MemoryDefect{Rule::MemoryLeak, at->made_by, fmt::format("{} bytes are not freed when {}", at->bytes, when),
                        at});
  }
}

void Session::end() {
  constexpr double patience = 2;
  if (!backlog_->wait_for_all(patience))
    record_.not_run("work of streams",
                    "the process ended before a host function (cudaLaunchHostFunc) that it came after");
  synchronize();
  memory_.report_results();
  report_leaks("the process ends");
  record_.end();
}

namespace {

thread_local int times_held = 0, cancel_state = PTHREAD_CANCEL_ENABLE;

}  // namespace

// A thread that is cancelled inside of the library ends later.
Held::Held(Session& session) : session_(session) {
  if (times_held++ == 0) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  session.mutex().lock();
}

Held::~Held() {
  session_.mutex().unlock();
  if (--times_held == 0) pthread_setcancelstate(cancel_state, nullptr);
}

void AllUnlocked::unlock() {
  times_ = times_held;
  for (int n = 0; n < times_; ++n) session_.mutex().unlock();
}

void AllUnlocked::lock() {
  for (int n = 0; n < times_; ++n) session_.mutex().lock();
}

}  // namespace ropewalk::driver
