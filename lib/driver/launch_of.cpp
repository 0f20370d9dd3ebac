// What a program launches, as a launch of the machine's.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/driver/launch.h"
#include "lib/driver/module.h"
#include "lib/launch/unpack_argument.h"

namespace ropewalk::driver {

namespace {

class Builder {
 public:
  Builder(Session& session, const LaunchRequest& request, const OutOfReach& unreached)
      : memory_(session.memory()),
        request_(request),
        kernel_(*request.kernel),
        unreached_(unreached),
        pointers_(pointers_of(session, request)) {
    std::erase_if(pointers_, [&](const PointerArgument& it) { return unreached.contains(it.resolved.allocation); });
    out_.module = kernel_.module.ptx();
    out_.entry = kernel_.entry.name;
    out_.kernel_name = kernel_.shown_name;
    out_.target = session.options().target;
    out_.grid = request.grid;
    out_.block = request.block;
    out_.dynamic_shared_bytes = request.shared_bytes;
    out_.is_cooperative = request.is_cooperative;
    out_.blocks.count = session.options().sample_blocks;
  }

  Launch build() {
    for (const PointerArgument& pointer : pointers_)
      tensor_of(*pointer.resolved.allocation, name_of(pointer, request_));
    for (const auto& [at, number] : tensors_) choose_type(*at, out_.tensors[number]);
    for (u32 n = 0; n < kernel_.parameters.size(); ++n) add_argument(n);
    if (kernel_.uses_variables) {
      for (const auto& [name, at] : kernel_.module.variables()) {
        out_.variables.push_back({.name = name, .tensor = i32(tensor_of(*at, at->name))});
      }
    }
    if (kernel_.follows_pointers) {
      for (Allocation* at : memory_.all()) {
        if (!unreached_.contains(at)) tensor_of(*at, at->text());
      }
    }
    return std::move(out_);
  }

 private:
  const std::byte* bytes_of(u32 parameter) const {
    return request_.parameters.data() + kernel_.parameters[parameter].offset;
  }

  void add_argument(u32 number) {
    out_.arguments.push_back(unpack_argument(kernel_.entry.parameter(number), bytes_of(number), [&](u32 offset, u64) {
      const auto pointer = std::ranges::find_if(
          pointers_, [&](const PointerArgument& one) { return one.parameter == number && one.offset == offset; });
      return pointer == pointers_.end() ? std::nullopt : std::optional<ArgumentValue>(value_of(*pointer));
    }));
  }

  TensorArgument value_of(const PointerArgument& pointer) const {
    const u32 number = tensors_.at(pointer.resolved.allocation);
    const LaunchTensor& tensor = out_.tensors[number];
    const i64 element = i64(pointer.resolved.offset) / i64(size_of(tensor.dtype));
    const auto region = regions_.find(pointer.parameter);
    if (region == regions_.end()) return {number, -1, element};
    const Region& part = tensor.regions[u32(region->second)];
    return {number, region->second, element - part.first_row * tensor.shape.back() - part.first_column};
  }

  // What the program says of the memory; else what the kernel accesses, where all pointers allow it.
  void choose_type(const Allocation& at, LaunchTensor& tensor) {
    std::vector<const TensorView*> views;
    std::vector<std::string> names;
    std::vector<const PointerArgument*> here;
    for (const PointerArgument& pointer : pointers_) {
      if (pointer.resolved.allocation != &at) continue;
      here.push_back(&pointer);
      if (at.range) continue;
      const auto view = std::ranges::find(request_.views, pointer.parameter, &TensorView::parameter);
      if (view == request_.views.end() || pointer.offset) continue;
      views.push_back(&*view);
      names.push_back(name_of(pointer, request_));
    }
    if (!views.empty() && views.size() == here.size()) {
      const std::vector<i32> regions = show_views(tensor, at, views, names);
      for (std::size_t n = 0; n < regions.size(); ++n) {
        if (regions[n] >= 0) regions_[views[n]->parameter] = regions[n];
      }
      if (!tensor.regions.empty()) tensor.name += ".storage";
      // Where views do not go together the memory stays bytes.
      const bool are_bytes = std::ranges::all_of(views, [](const auto* view) { return view->dtype == Dtype::U8; });
      if (are_bytes || tensor.dtype != Dtype::U8) return;
    }
    for (const PointerArgument* pointer : here) {
      const auto type = kernel_.accessed.find({pointer->parameter, pointer->offset});
      if (type == kernel_.accessed.end()) continue;
      const u64 size = size_of(type->second);
      const auto is_aligned = [&](const PointerArgument* one) { return i64(one->resolved.offset) % i64(size) == 0; };
      if (at.reach() % size || !std::ranges::all_of(here, is_aligned)) continue;
      tensor.dtype = type->second;
      tensor.shape = {i64(at.reach() / size)};
      return;
    }
  }

  u32 tensor_of(Allocation& at, const std::string& name) {
    const auto [known, is_new] = tensors_.try_emplace(&at, u32(out_.tensors.size()));
    if (!is_new) return known->second;
    LaunchTensor tensor;
    tensor.name = name;
    tensor.dtype = Dtype::U8;
    tensor.shape = {i64(at.reach())};
    tensor.strides = {1};
    tensor.resident = at.resident(request_.device);
    tensor.freed = at.freed;
    out_.tensors.push_back(std::move(tensor));
    return known->second;
  }

  DeviceMemory& memory_;
  const LaunchRequest& request_;
  Kernel& kernel_;
  const OutOfReach& unreached_;
  std::vector<PointerArgument> pointers_;
  Launch out_;
  std::map<const Allocation*, u32> tensors_;
  std::map<u32, i32> regions_;  // by parameter
};

// Whose memory it is; of the process itself, the kernel's own.
u32 device_of(const Allocation& at, const LaunchRequest& request) {
  const bool is_of_one = at.kind == MemoryKind::Device || at.kind == MemoryKind::Variable;
  return is_of_one && request.peers ? at.device : request.device;
}

// The same of what an argument leads to: the program may say it.
u32 device_of(const PointerArgument& pointer, const LaunchRequest& request) {
  const auto view = std::ranges::find(request.views, pointer.parameter, &TensorView::parameter);
  if (view != request.views.end() && !pointer.offset) return view->device;
  return device_of(*pointer.resolved.allocation, request);
}

// Whether the kernel's device may touch the memory of that device.
bool has_access(const Allocation& at, const LaunchRequest& request, u32 device) {
  if (device == request.device) return true;
  if (at.pool && request.peers && at.device == device) return at.pool->contains(request.device);
  return request.peers && request.peers->contains(device);
}

}  // namespace

OutOfReach out_of_reach(Session& session, const LaunchRequest& request) {
  OutOfReach out;
  const auto add = [&](const Allocation& at, const OwnerOfMemory& owner) {
    if (!has_access(at, request, owner.device)) out.try_emplace(&at, owner);
  };
  for (const PointerArgument& pointer : pointers_of(session, request))
    add(*pointer.resolved.allocation, {device_of(pointer, request), name_of(pointer, request), pointer.parameter});
  if (request.kernel->follows_pointers) {
    for (const Allocation* at : session.memory().all()) add(*at, {device_of(*at, request), at->text(), {}});
  }
  return out;
}

std::vector<PointerArgument> pointers_of(Session& session, const LaunchRequest& request) {
  std::vector<PointerArgument> out;
  const Kernel& kernel = *request.kernel;
  for (u32 n = 0; n < kernel.parameters.size(); ++n) {
    const std::byte* const bytes = request.parameters.data() + kernel.parameters[n].offset;
    unpack_argument(kernel.entry.parameter(n), bytes, [&](u32 offset, u64 bits) {
      const ResolvedAddress resolved = session.memory().find_pointer(bits);
      if (bits && resolved.allocation) out.push_back({n, offset, resolved});
      return std::optional<ArgumentValue>();
    });
  }
  return out;
}

std::string name_of(const PointerArgument& pointer, const LaunchRequest& request) {
  const std::string name = pointer.parameter < request.names.size() ? request.names[pointer.parameter]
                                                                    : fmt::format("argument{}", pointer.parameter);
  return pointer.offset ? fmt::format("{}_{}", name, pointer.offset) : name;
}

Launch launch_of(Session& session, const LaunchRequest& request, const OutOfReach& unreached) {
  return Builder(session, request, unreached).build();
}

}  // namespace ropewalk::driver
