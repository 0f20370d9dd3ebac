#include "lib/gpu/device_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/base/stopwatch.h"

namespace ropewalk::gpu {

namespace {

constexpr std::byte poison{0xa5};

}  // namespace

DeviceLaunch::DeviceLaunch(const Driver& driver, int device, const DeviceRequest& request)
    : driver_(driver), request_(request) {
  const LaunchLocation& where = request.location;
  tensors_on_ = where.device ? int(*where.device) : device;
  current_ = where.current_device ? int(*where.current_device) : tensors_on_;
  const int stream_on = where.stream_device ? int(*where.stream_device) : current_;
  for (const int number : {tensors_on_, current_, stream_on}) retain(number);
  use(current_);
  load();
  make_stream(stream_on);
}

// What fails here has failed before, and was reported then.
DeviceLaunch::~DeviceLaunch() {
  placed_.clear();
  if (request_.location.stream == LaunchLocation::Stream::Own && stream_) driver_.stream_destroy(stream_);
  if (module_) driver_.module_unload(module_);
  for (const auto& [number, device] : devices_) driver_.context_release(device.handle);
}

void DeviceLaunch::retain(int number) {
  if (devices_.contains(number)) return;
  int count = 0;
  ROPEWALK_CUDA(driver_, device_count, &count);
  if (number < 0 || number >= count) throw NotAvailable(fmt::format("no device {}: there are {}", number, count));
  Device device;
  ROPEWALK_CUDA(driver_, device_get, &device.handle, number);
  ROPEWALK_CUDA(driver_, context_retain, &device.context, device.handle);
  devices_[number] = device;
}

void DeviceLaunch::use(int number) { ROPEWALK_CUDA(driver_, context_set, devices_.at(number).context); }

void DeviceLaunch::make_stream(int number) {
  switch (request_.location.stream) {
    case LaunchLocation::Stream::Own:
      use(number);
      ROPEWALK_CUDA(driver_, stream_create, &stream_, 0u);
      break;
    case LaunchLocation::Stream::Default:
      break;
    case LaunchLocation::Stream::PerThread:
      stream_ = stream_per_thread();
      break;
  }
}

void DeviceLaunch::load() {
  std::vector<char> log(4096, 0);
  int names[] = {jit_error_log_buffer, jit_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const Result result = driver_.module_load(&module_, request_.text.c_str(), 2, names, values);
  if (result == unsupported_ptx || result == no_binary) {
    throw NotAvailable(fmt::format("the driver {} is too old for PTX {} for {}, or the device is: {}\n{}",
                                   driver_.version(), request_.version, request_.target, driver_.name_of(result),
                                   log.data()));
  }
  if (result == invalid_ptx) {
    throw NotAvailable(fmt::format("the driver's compiler does not take {}: {}", request_.path, log.data()));
  }
  driver_.check(result, "module_load");
  ROPEWALK_CUDA(driver_, module_function, &function_, module_, request_.entry.c_str());
}

void DeviceLaunch::place(const std::vector<std::byte*>& tensors, Guards wanted) {
  use(tensors_on_);
  for (u32 n = 0; n < tensors.size(); ++n) {
    const DeviceRequest::Tensor& tensor = request_.tensors[n];
    const DeviceMemory& placed =
        placed_.emplace_back(driver_, devices_.at(tensors_on_).handle, tensor.bytes, tensor.alignment, wanted);
    std::vector<std::byte> image(placed.size(), poison);
    std::memcpy(image.data() + placed.before(), tensors[n], tensor.bytes);
    ROPEWALK_CUDA(driver_, copy_to_device, placed.begin(), image.data(), image.size());
  }
  for (u32 n = 0; n < tensors.size(); ++n) {
    for (const LaunchPointer& pointer : request_.tensors[n].pointers) {
      const std::optional<DevicePointer> target = target_of(pointer);
      if (target) ROPEWALK_CUDA(driver_, copy_to_device, placed_[n].start() + pointer.at, &*target, sizeof *target);
    }
  }
  use(current_);
  for (const DeviceRequest::Variable& variable : request_.variables) set_variable(variable);
}

// None: a variable that the compiler left out, which cannot be reached either.
std::optional<DevicePointer> DeviceLaunch::target_of(const LaunchPointer& pointer) {
  DevicePointer target = 0;
  std::size_t bytes = 0;
  if (pointer.tensor >= 0) return placed_[u64(pointer.tensor)].start() + u64(pointer.offset);
  if (driver_.module_global(&target, &bytes, module_, pointer.variable.c_str()) != success) return std::nullopt;
  return target + u64(pointer.offset);
}

std::string DeviceLaunch::placement() const {
  for (const DeviceMemory& placed : placed_) {
    if (placed.why_zones().empty()) continue;
    return fmt::format("tensors lay between guard zones, not against unmapped pages: {}", placed.why_zones());
  }
  if (placed_.empty()) return "";
  switch (placed_.front().guards()) {
    case Guards::End:
      return "each tensor ended at an unmapped page, as far as its alignment allows";
    case Guards::Start:
      return "each tensor started behind an unmapped page";
    case Guards::Zones:
      return "tensors lay between guard zones";
    case Guards::None:
      break;
  }
  return "nothing was put around the tensors";
}

void DeviceLaunch::put(std::vector<std::byte>& bytes, const std::vector<LaunchPointer>& pointers) {
  for (const LaunchPointer& pointer : pointers) {
    const std::optional<DevicePointer> target = target_of(pointer);
    if (target && pointer.at + sizeof *target <= bytes.size())
      std::memcpy(bytes.data() + pointer.at, &*target, sizeof *target);
  }
}

void DeviceLaunch::set_variable(const DeviceRequest::Variable& variable) {
  DevicePointer address = 0;
  std::size_t bytes = 0;
  ROPEWALK_CUDA(driver_, module_global, &address, &bytes, module_, variable.name.c_str());
  std::vector<std::byte> image = variable.bytes;
  image.resize(std::min<std::size_t>(image.size(), bytes));
  put(image, variable.pointers);
  ROPEWALK_CUDA(driver_, copy_to_device, address, image.data(), image.size());
}

void DeviceLaunch::prepare() {
  constexpr u64 shared_without_asking = 48 << 10;
  if (request_.dynamic_shared_bytes > shared_without_asking) {
    ROPEWALK_CUDA(driver_, function_set_attribute, function_, function_max_dynamic_shared,
                  int(request_.dynamic_shared_bytes));
  }
  values_.clear();
  for (const DeviceRequest::Parameter& parameter : request_.parameters)
    put(values_.emplace_back(parameter.bytes), parameter.pointers);
}

void DeviceLaunch::launch_once() {
  std::vector<void*> pointers;
  for (auto& value : values_) pointers.push_back(value.data());
  ROPEWALK_CUDA(driver_, launch, function_, request_.grid.x, request_.grid.y, request_.grid.z, request_.block.x,
                request_.block.y, request_.block.z, unsigned(request_.dynamic_shared_bytes), stream_, pointers.data(),
                nullptr);
}

void DeviceLaunch::run() {
  use(current_);
  prepare();
  launch_once();
  ROPEWALK_CUDA(driver_, stream_synchronize, stream_);
}

double DeviceLaunch::seconds_of(u32 launches) {
  run();
  const Stopwatch watch;
  for (u32 n = 0; n < launches; ++n) launch_once();
  ROPEWALK_CUDA(driver_, stream_synchronize, stream_);
  return watch.seconds() / launches;
}

std::vector<GuardHit> DeviceLaunch::read_back(const std::vector<std::byte*>& tensors) {
  use(tensors_on_);
  std::vector<GuardHit> hits;
  for (u32 n = 0; n < placed_.size(); ++n) {
    const DeviceMemory& placed = placed_[n];
    std::vector<std::byte> image(placed.size());
    ROPEWALK_CUDA(driver_, copy_to_host, image.data(), placed.begin(), image.size());
    const u64 first = placed.before(), last = first + request_.tensors[n].bytes;
    std::memcpy(tensors[n], image.data() + first, last - first);
    if (placed.guards() == Guards::None) continue;
    const auto look = [&](u64 from, u64 to) {
      GuardHit hit{n, 0, 0};
      for (u64 at = from; at < to; ++at) {
        if (image[at] == poison) continue;
        if (hit.bytes++ == 0) hit.first = i64(at) - i64(first);
      }
      if (hit.bytes) hits.push_back(hit);
    };
    look(0, first);
    look(last, image.size());
  }
  return hits;
}

}  // namespace ropewalk::gpu
