#include "lib/gpu/job.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "lib/gpu/activity.h"
#include "lib/gpu/device_launch.h"
#include "lib/gpu/driver.h"
#include "lib/gpu/fixed_text.h"
#include "lib/launch/contents.h"

namespace ropewalk::gpu {

namespace {

constexpr u64 most_bytes = u64(16) << 30;
constexpr u64 page = 4096;

void note(JobState& state, JobState::Stage stage, Result code, const std::string& text) {
  copy_text(state.text, text);
  state.code = code;
  state.stage = stage;
}

}  // namespace

Job::Job(const Launch& launch) : launch_(launch) {
  bytes_ = (sizeof(JobState) + page - 1) / page * page;
  std::vector<u64> offsets;
  for (const LaunchTensor& tensor : launch.tensors) {
    offsets.push_back(bytes_);
    bytes_ += (tensor.bytes() + page - 1) / page * page;
    if (bytes_ > most_bytes) {
      throw NotAvailable(fmt::format("tensor {} makes the launch larger than {} GiB, which are not sent to a device",
                                     tensor.name, most_bytes >> 30));
    }
  }
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw NotAvailable(fmt::format("there is no room for the {} bytes of the launch", bytes_));
  state_ = new (memory_) JobState();
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    tensors_.push_back(static_cast<std::byte*>(memory_) + offsets[n]);
    const LaunchTensor& tensor = launch.tensors[n];
    // Floats that nobody wrote read as NaN of a pattern that no instruction makes.
    if (std::holds_alternative<Uninitialized>(tensor.init)) std::memset(tensors_[n], 0xff, tensor.bytes());
    fill_tensor(tensor, tensors_[n], 0, tensor.bytes());
  }
}

Job::~Job() { munmap(memory_, bytes_); }

void Job::run(int device, Guards guards) noexcept {
  try {
    run_on(device, guards);
  } catch (const NotAvailable& reason) {
    note(*state_, JobState::Stage::NotAvailable, success, reason.what());
  } catch (const DriverError& error) {
    note(*state_, JobState::Stage::Failed, error.code, error.what());
  } catch (const std::exception& error) {
    note(*state_, JobState::Stage::NotAvailable, success, error.what());
  }
}

namespace {

void keep_activity(ActivityLog& log, const Launch& launch, JobState::Activity& to) {
  std::string why_not;
  if (const std::optional<DeviceRun> run = log.take(launch, why_not)) {
    to.registers = run->registers;
    to.local_bytes = run->local_bytes;
    to.static_shared_bytes = run->static_shared_bytes;
    to.device = run->device;
    to.stream = run->stream;
    to.start_ns = run->start_ns;
    to.end_ns = run->end_ns;
    to.is_recorded = true;
  }
  copy_text(to.missing, why_not);
}

}  // namespace

void Job::run_on(int device, Guards guards) {
  std::optional<ActivityLog> activity;
  if (wants_activity()) activity.emplace();
  DeviceLaunch on_device(Driver::open(), device, launch_);
  on_device.place(tensors_, guards);
  copy_text(state_->placement, on_device.placement());
  state_->launching = true;
  const auto start = std::chrono::steady_clock::now();
  on_device.run();
  state_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (activity) keep_activity(*activity, launch_, state_->activity);
  for (const GuardHit& hit : on_device.read_back(tensors_)) {
    if (state_->hits < JobState::most_hits) state_->hit[state_->hits++] = hit;
  }
  state_->stage = JobState::Stage::Done;
}

}  // namespace ropewalk::gpu
