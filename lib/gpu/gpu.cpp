#include "lib/gpu/gpu.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/base/numbers.h"
#include "lib/gpu/device_findings.h"
#include "lib/gpu/driver.h"
#include "lib/gpu/fixed_text.h"
#include "lib/gpu/isolate.h"
#include "lib/gpu/job.h"
#include "lib/gpu/worker.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/limits.h"

namespace ropewalk::gpu {

namespace {

constexpr double probe_seconds = 60;

int chosen_device() {
  const char* given = std::getenv("ROPEWALK_CUDA_DEVICE");
  if (!given || !*given) return 0;
  char* end = nullptr;
  const long number = std::strtol(given, &end, 10);
  if (*end || number < 0 || number > 1023) {
    throw InputError(fmt::format("ROPEWALK_CUDA_DEVICE is \"{}\", expected the number of a device", given));
  }
  return int(number);
}

struct Probe {
  char unavailable[1000] = "", name[256] = "", driver[32] = "";
  int major = 0, minor = 0, count = 0;
};

void ask(Probe& probe, int number) {
  try {
    const Driver& driver = Driver::open();
    ROPEWALK_CUDA(driver, device_count, &probe.count);
    if (number >= probe.count) throw NotAvailable(fmt::format("no device {}: there are {}", number, probe.count));
    DeviceHandle device = 0;
    ROPEWALK_CUDA(driver, device_get, &device, number);
    ROPEWALK_CUDA(driver, device_name, probe.name, int(sizeof probe.name) - 1, device);
    ROPEWALK_CUDA(driver, device_attribute, &probe.major, attribute_major, device);
    ROPEWALK_CUDA(driver, device_attribute, &probe.minor, attribute_minor, device);
    copy_text(probe.driver, driver.version());
  } catch (const std::exception& error) {
    copy_text(probe.unavailable, error.what());
  }
}

// The bytes of a launch after it ran, with the bits of what was surely written.
struct Kept {
  std::unique_ptr<Job> job;
  std::vector<std::vector<u64>> initialized;
};

// A bit a byte of a tensor that held nothing before: whether its element holds something now. Of floats alone, whose
// pattern of nothing no instruction makes; integers count as written.
std::vector<u64> written_bits(const LaunchTensor& tensor, const std::byte* bytes) {
  std::vector<u64> bits((tensor.bytes() + 63) / 64);
  const u64 size = size_of(tensor.dtype);
  const bool tells = is_floating(tensor.dtype) && size > 1;
  for (u64 at = 0; at + size <= tensor.bytes(); at += size) {
    const bool is_nothing =
        std::all_of(bytes + at, bytes + at + size, [](std::byte b) { return b == std::byte(0xff); });
    if (!tells || !is_nothing) set_bits(bits.data(), at, at + size);
  }
  return bits;
}

class Gpu : public Executor {
 public:
  explicit Gpu(const GpuOptions& options) : options_(options) {}

  std::string_view name() const override { return "gpu"; }

  Outcome run(const Launch& launch, const RunOptions& options) override {
    Outcome outcome;
    outcome.statistics.blocks_total = launch.grid.count();
    const machine::Code& code = code_of(launch);
    if (options.checks.has(Check::Limits)) outcome.findings = machine::check_limits(launch, code);
    if (!outcome.findings.empty()) {
      outcome.kind = OutcomeKind::Found;
      return outcome;
    }
    try {
      auto kept = std::make_shared<Kept>();
      kept->job = std::make_unique<Job>(launch, chosen_device(), options_.guards);
      const ChildEnd end = worker_.run(*kept->job, options.seconds + options_.start_seconds);
      note(outcome, launch, options, code, std::move(kept), end);
    } catch (const NotAvailable& reason) {
      outcome.kind = OutcomeKind::NotRun;
      outcome.reason = reason.what();
    }
    return outcome;
  }

 private:
  const machine::Code& code_of(const Launch& launch) {
    auto& code = codes_[{launch.module, launch.entry}];
    if (code) return *code;
    const ptx::Function* entry = launch.module->entry(launch.entry);
    if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
    code = machine::make_code(launch.module, *entry, false);
    return *code;
  }

  void note(Outcome& outcome, const Launch& launch, const RunOptions& options, const machine::Code& code,
            std::shared_ptr<Kept> kept, const ChildEnd& end) {
    const JobState& state = kept->job->state();
    if (*state.placement) outcome.notes.push_back(state.placement);
    if (state.stage == JobState::Stage::NotAvailable) throw NotAvailable(state.text);
    if (state.stage != JobState::Stage::Done) {
      outcome.findings = findings_of_failure(launch, code, state, end, options.checks);
      outcome.kind = OutcomeKind::Found;
      if (outcome.findings.empty()) throw NotAvailable(failure_text(state, end));
      return;
    }
    tell_activity(outcome, launch, state.activity);
    outcome.statistics.seconds = state.seconds;
    outcome.statistics.blocks = launch.grid.count();
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      const LaunchTensor& tensor = launch.tensors[n];
      const bool was_empty = std::holds_alternative<Uninitialized>(tensor.init);
      kept->initialized.push_back(was_empty ? written_bits(tensor, kept->job->tensor(n)) : std::vector<u64>());
      const u64* bits = was_empty ? kept->initialized.back().data() : nullptr;
      outcome.tensors.push_back({kept->job->tensor(n), nullptr, bits, nullptr});
    }
    outcome.findings = findings_after_run(launch, code, state, outcome.tensors, options.checks);
    if (!outcome.findings.empty()) outcome.kind = OutcomeKind::Found;
    outcome.storage = std::move(kept);
  }

  static void tell_activity(Outcome& outcome, const Launch& launch, const JobState::Activity& activity) {
    outcome.no_device_runs = activity.missing;
    if (!activity.is_recorded) return;
    outcome.device_runs.push_back({launch.entry, launch.grid, launch.block, activity.registers, activity.local_bytes,
                                   activity.static_shared_bytes, u32(launch.dynamic_shared_bytes), activity.device,
                                   activity.stream, activity.start_ns, activity.end_ns});
  }

  GpuOptions options_;
  Worker worker_;
  std::map<std::pair<std::shared_ptr<const ptx::Module>, std::string>, std::shared_ptr<const machine::Code>> codes_;
};

}  // namespace

DeviceInfo device_info() {
  const int number = chosen_device();
  void* memory = mmap(nullptr, sizeof(Probe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw InternalError("no shared memory for the question whether there is a GPU");
  Probe& probe = *new (memory) Probe();
  const ChildEnd end = run_in_child([&] { ask(probe, number); }, probe_seconds);
  DeviceInfo info{probe.unavailable, probe.name, probe.driver, probe.major, probe.minor, probe.count};
  if (!end.in_time) info.unavailable = fmt::format("the driver did not answer in {} seconds", int(probe_seconds));
  if (end.signal) info.unavailable = fmt::format("the driver ended its process with signal {}", end.signal);
  munmap(memory, sizeof(Probe));
  return info;
}

CheckSet gpu_checks() {
  CheckSet checks;
  for (const Check check : {Check::Limits, Check::Hang, Check::Outputs, Check::Alignment, Check::Bounds})
    checks.add(check);
  return checks;
}

std::unique_ptr<Executor> make_gpu(const GpuOptions& options) { return std::make_unique<Gpu>(options); }

}  // namespace ropewalk::gpu
