#include "lib/gpu/device_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/launch/allowed.h"
#include "lib/launch/values.h"
#include "lib/ptx/write.h"

namespace ropewalk::gpu {

namespace {

constexpr std::byte poison{0xa5};
constexpr u32 device_alignment = 256;  // of what the driver allocates

}  // namespace

DeviceLaunch::DeviceLaunch(const Driver& driver, int device, const Launch& launch) : driver_(driver), launch_(launch) {
  int count = 0;
  ROPEWALK_CUDA(driver_, device_count, &count);
  if (device < 0 || device >= count) throw NotAvailable(fmt::format("no device {}: there are {}", device, count));
  ROPEWALK_CUDA(driver_, device_get, &device_, device);
  ContextHandle context = nullptr;
  ROPEWALK_CUDA(driver_, context_retain, &context, device_);
  ROPEWALK_CUDA(driver_, context_set, context);
  load();
  ROPEWALK_CUDA(driver_, stream_create, &stream_, 0u);
}

// What fails here has failed before, and was told then.
DeviceLaunch::~DeviceLaunch() {
  for (const Placed& placed : placed_) driver_.release(placed.allocation);
  if (stream_) driver_.stream_destroy(stream_);
  if (module_) driver_.module_unload(module_);
  driver_.context_release(device_);
}

void DeviceLaunch::load() {
  const ptx::Function* entry = launch_.module->entry(launch_.entry);
  if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch_.module->path, launch_.entry));
  const std::string text = ptx::write(*launch_.module);
  std::vector<char> log(4096, 0);
  int names[] = {jit_error_log_buffer, jit_error_log_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const Result result = driver_.module_load(&module_, text.c_str(), 2, names, values);
  if (result == unsupported_ptx || result == no_binary) {
    throw NotAvailable(fmt::format("the driver {} is too old for PTX {} for {}, or the device is: {}\n{}",
                                   driver_.version(), launch_.module->version, launch_.module->target,
                                   driver_.name_of(result), log.data()));
  }
  if (result == invalid_ptx) {
    throw NotAvailable(fmt::format("the driver's compiler does not take {}: {}", launch_.module->path, log.data()));
  }
  driver_.check(result, "module_load");
  ROPEWALK_CUDA(driver_, module_function, &function_, module_, entry->name.c_str());
}

void DeviceLaunch::place(const std::vector<std::byte*>& tensors) {
  for (u32 n = 0; n < tensors.size(); ++n) {
    const LaunchTensor& tensor = launch_.tensors[n];
    Placed placed;
    placed.bytes = tensor.bytes();
    // A tensor that promises less than the driver gives begins where no more than that is kept.
    const u64 shift = tensor.alignment < device_alignment ? tensor.alignment : 0;
    placed.allocated = placed.bytes + shift + 2 * guard_bytes;
    ROPEWALK_CUDA(driver_, allocate, &placed.allocation, placed.allocated);
    placed.start = placed.allocation + guard_bytes + shift;
    placed_.push_back(placed);
    std::vector<std::byte> image(placed.allocated, poison);
    std::memcpy(image.data() + (placed.start - placed.allocation), tensors[n], placed.bytes);
    ROPEWALK_CUDA(driver_, copy_to_device, placed.allocation, image.data(), image.size());
  }
  for (const LaunchVariable& variable : launch_.variables) set_variable(variable);
}

void DeviceLaunch::set_variable(const LaunchVariable& variable) {
  DevicePointer address = 0;
  std::size_t bytes = 0;
  ROPEWALK_CUDA(driver_, module_global, &address, &bytes, module_, variable.name.c_str());
  std::vector<std::byte> image = variable.bytes;
  image.resize(std::min<std::size_t>(image.size(), bytes));
  for (const LaunchVariable::Pointer& pointer : variable.pointers) {
    DevicePointer target = 0;
    std::size_t target_bytes = 0;
    if (pointer.tensor >= 0) {
      target = placed_[u64(pointer.tensor)].start;
    } else if (driver_.module_global(&target, &target_bytes, module_, pointer.variable.c_str()) != success) {
      continue;  // a variable that the compiler left out cannot be reached either
    }
    target += u64(pointer.offset);
    if (pointer.at + 8 <= image.size()) std::memcpy(image.data() + pointer.at, &target, 8);
  }
  ROPEWALK_CUDA(driver_, copy_to_device, address, image.data(), image.size());
}

void DeviceLaunch::put(std::vector<std::byte>& to, u64 at,
                       const std::variant<TensorArgument, ScalarArgument, NullArgument>& value) const {
  u64 bits = 0;
  u32 bytes = 8;
  if (const auto* tensor = std::get_if<TensorArgument>(&value)) {
    const LaunchTensor& description = launch_.tensors[tensor->tensor];
    i64 offset = tensor->offset_elements;
    if (tensor->field >= 0) offset += start_of(description, description.fields[u32(tensor->field)]);
    bits = placed_[tensor->tensor].start + u64(offset * i64(size_of(description.dtype)));
  } else if (const auto* scalar = std::get_if<ScalarArgument>(&value)) {
    bits = scalar->bits;
    bytes = size_of(scalar->dtype);
  }
  if (at + bytes <= to.size()) std::memcpy(to.data() + at, &bits, bytes);
}

std::vector<std::vector<std::byte>> DeviceLaunch::parameters() const {
  const ptx::Function& entry = *launch_.module->entry(launch_.entry);
  std::vector<std::vector<std::byte>> out;
  for (u32 i = 0; i < entry.parameter_count; ++i) {
    out.emplace_back(std::max<u64>(1, entry.parameter(i).bytes()), std::byte(0));
    if (i >= launch_.arguments.size()) continue;
    for_values(launch_.arguments[i], [&](const auto& value, u64 byte) { put(out.back(), byte, value); });
  }
  return out;
}

void DeviceLaunch::run() {
  constexpr u64 shared_without_asking = 48 << 10;
  if (launch_.dynamic_shared_bytes > shared_without_asking) {
    ROPEWALK_CUDA(driver_, function_set_attribute, function_, function_max_dynamic_shared,
                  int(launch_.dynamic_shared_bytes));
  }
  std::vector<std::vector<std::byte>> values = parameters();
  std::vector<void*> pointers;
  for (auto& value : values) pointers.push_back(value.data());
  ROPEWALK_CUDA(driver_, launch, function_, launch_.grid.x, launch_.grid.y, launch_.grid.z, launch_.block.x,
                launch_.block.y, launch_.block.z, unsigned(launch_.dynamic_shared_bytes), stream_, pointers.data(),
                nullptr);
  ROPEWALK_CUDA(driver_, stream_synchronize, stream_);
}

std::vector<GuardHit> DeviceLaunch::read_back(const std::vector<std::byte*>& tensors) {
  std::vector<GuardHit> hits;
  for (u32 n = 0; n < placed_.size(); ++n) {
    const Placed& placed = placed_[n];
    std::vector<std::byte> image(placed.allocated);
    ROPEWALK_CUDA(driver_, copy_to_host, image.data(), placed.allocation, image.size());
    const u64 first = placed.start - placed.allocation, last = first + placed.bytes;
    std::memcpy(tensors[n], image.data() + first, placed.bytes);
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
