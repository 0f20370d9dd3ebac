#include "lib/gpu/job.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "lib/base/error.h"
#include "lib/gpu/activity.h"
#include "lib/gpu/device_launch.h"
#include "lib/gpu/driver.h"
#include "lib/gpu/fixed_text.h"
#include "lib/launch/contents.h"

namespace ropewalk::gpu {

namespace {

constexpr u64 most_bytes = u64(16) << 30;
u64 page_end(u64 bytes) { return (bytes + 4095) / 4096 * 4096; }

void note(JobState& state, JobState::Stage stage, Result code, const std::string& text) {
  copy_text(state.text, text);
  state.code = code;
  state.stage = stage;
}

}  // namespace

Job::Job(const Launch& launch, int device, Guards guards) : request_(request_of(launch)) {
  u64 bytes = 0;
  for (const LaunchTensor& tensor : launch.tensors) {
    bytes += tensor.bytes();
    if (bytes > most_bytes) {
      throw NotAvailable(fmt::format("tensor {} makes the launch larger than {} GiB, which are not sent to a device",
                                     tensor.name, most_bytes >> 30));
    }
  }
  const std::vector<std::byte> request = bytes_of(request_);
  descriptor_ = memfd_create("ropewalk", MFD_CLOEXEC);
  bytes_ = page_end(sizeof(JobState) + request.size());
  for (const LaunchTensor& tensor : launch.tensors) bytes_ += page_end(tensor.bytes());
  if (descriptor_ < 0 || ftruncate(descriptor_, off_t(bytes_)) != 0)
    throw NotAvailable(fmt::format("there is no room for the {} bytes of the launch", bytes_));
  map();
  place_tensors(request.size());
  state_ = new (memory_) JobState();
  state_->device = device;
  state_->guards = guards;
  state_->request_bytes = request.size();
  std::memcpy(state_ + 1, request.data(), request.size());
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    // Floats that nobody wrote read as NaN of a pattern that no instruction makes.
    if (std::holds_alternative<Uninitialized>(tensor.init)) std::memset(tensors_[n], 0xff, tensor.bytes());
    fill_whole_tensor(tensor, tensors_[n]);
  }
}

Job::Job(int descriptor) : descriptor_(descriptor) {
  struct stat file {};
  if (fstat(descriptor, &file) != 0) throw InternalError("a job's memory cannot be looked at");
  bytes_ = u64(file.st_size);
  map();
  request_ = request_in({reinterpret_cast<const std::byte*>(state_ + 1), state_->request_bytes});
  place_tensors(state_->request_bytes);
}

// Maps the memory of the descriptor.
void Job::map() {
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    throw NotAvailable(fmt::format("there is no room for the {} bytes of the launch", bytes_));
  }
  state_ = static_cast<JobState*>(memory_);
}

// The tensors lie behind the request, each on pages of its own.
void Job::place_tensors(u64 request_bytes) {
  u64 at = page_end(sizeof(JobState) + request_bytes);
  for (const DeviceRequest::Tensor& tensor : request_.tensors) {
    tensors_.push_back(static_cast<std::byte*>(memory_) + at);
    at += page_end(tensor.bytes);
  }
}

Job::~Job() {
  if (memory_) munmap(memory_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

void Job::run() noexcept {
  try {
    run_on_device();
  } catch (const NotAvailable& reason) {
    note(*state_, JobState::Stage::NotAvailable, success, reason.what());
  } catch (const DriverError& error) {
    note(*state_, JobState::Stage::Failed, error.code, error.what());
  } catch (const std::exception& error) {
    note(*state_, JobState::Stage::NotAvailable, success, error.what());
  }
}

namespace {

void keep_activity(ActivityLog& log, const DeviceRequest& request, JobState::Activity& to) {
  std::string why_not;
  if (const std::optional<DeviceRun> run = log.take(request, why_not)) {
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

void Job::run_on_device() {
  std::optional<ActivityLog> activity;
  if (wants_activity()) activity.emplace();
  DeviceLaunch on_device(Driver::open(), state_->device, request_);
  on_device.place(tensors_, state_->guards);
  copy_text(state_->placement, on_device.placement());
  state_->launching = true;
  const auto start = std::chrono::steady_clock::now();
  on_device.run();
  state_->launching = false;
  state_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (activity) keep_activity(*activity, request_, state_->activity);
  for (const GuardHit& hit : on_device.read_back(tensors_)) {
    if (state_->hits < JobState::most_hits) state_->hit[state_->hits++] = hit;
  }
  state_->stage = JobState::Stage::Done;
}

}  // namespace ropewalk::gpu
