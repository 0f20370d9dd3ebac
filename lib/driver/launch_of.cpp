// What a program launches, as a launch of the machine's.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/driver/launch.h"
#include "lib/driver/module.h"
#include "lib/launch/unpack_argument.h"

namespace ropewalk::driver {

namespace {

// A pointer in the parameters.
struct Pointer {
  u32 parameter, offset;
  MemoryPlace place;
};

class Builder {
 public:
  Builder(Session& session, const LaunchRequest& request)
      : memory_(session.memory()), request_(request), kernel_(*request.kernel) {
    out_.module = kernel_.module.ptx();
    out_.entry = kernel_.entry.name;
    out_.kernel_name = kernel_.shown_name;
    out_.target = session.options().target;
    out_.grid = request.grid;
    out_.block = request.block;
    out_.dynamic_shared_bytes = request.shared_bytes;
    out_.blocks.count = session.options().sample_blocks;
  }

  Launch build() {
    find_pointers();
    for (const Pointer& pointer : pointers_) tensor_of(*pointer.place.allocation, name_of(pointer));
    for (const auto& [at, number] : tensors_) choose_type(*at, out_.tensors[number]);
    for (u32 n = 0; n < kernel_.parameters.size(); ++n) add_argument(n);
    if (kernel_.uses_variables) {
      for (const auto& [name, at] : kernel_.module.variables()) {
        out_.variables.push_back({.name = name, .tensor = i32(tensor_of(*at, at->name))});
      }
    }
    if (kernel_.follows_pointers) {
      for (Allocation* at : memory_.all()) tensor_of(*at, at->text());
    }
    return std::move(out_);
  }

 private:
  const std::byte* bytes_of(u32 parameter) const {
    return request_.parameters.data() + kernel_.parameters[parameter].offset;
  }

  std::string name_of(const Pointer& pointer) const {
    const std::string name = pointer.parameter < request_.names.size() ? request_.names[pointer.parameter]
                                                                       : fmt::format("argument{}", pointer.parameter);
    return pointer.offset ? fmt::format("{}_{}", name, pointer.offset) : name;
  }

  // Every pointer's tensor, before any argument is made: what several pointers lead to must suit all of them.
  void name_tensors(u32 parameter) {
    unpack_argument(kernel_.entry.parameter(parameter), bytes_of(parameter), [&](u32 offset, u64 bits) {
      const MemoryPlace place = memory_.find(bits);
      if (place.allocation) add(*place.allocation, parameter, offset, place.offset);
      return std::optional<ArgumentValue>();
    });
  }

  void add(Allocation& at, u32 parameter, u32 offset, u64 into) {
    const auto known = tensors_.find(&at);
    if (known == tensors_.end()) {
      const auto type = kernel_.accessed.find({parameter, offset});
      const u32 number = tensor_of(at, name_of(parameter, offset));
      const auto view = std::ranges::find(request_.views, parameter, &TensorView::parameter);
      if (view != request_.views.end()) {
        show_as(*view, out_.tensors[number], at);
      } else if (type != kernel_.accessed.end()) {
        retype(out_.tensors[number], at, type->second);
      }
    }
  }

  static void retype(LaunchTensor& tensor, const Allocation& at, Dtype dtype) {
    if (at.bytes % size_of(dtype)) return;
    tensor.dtype = dtype;
    tensor.shape = {i64(at.bytes / size_of(dtype))};
    tensor.strides = {1};
  }

  // The program's elements; its shape too, where the view is all of the memory.
  static void show_as(const TensorView& view, LaunchTensor& tensor, const Allocation& at) {
    retype(tensor, at, view.dtype);
    const bool is_all = view.address == at.address && !view.shape.empty() &&
                        u64(element_count(view.shape)) * size_of(view.dtype) == at.bytes;
    if (!is_all || view.strides != contiguous_strides(view.shape)) return;
    tensor.shape = view.shape;
    tensor.strides = view.strides;
  }

  u32 tensor_of(Allocation& at, const std::string& name) {
    const auto [known, is_new] = tensors_.try_emplace(&at, u32(out_.tensors.size()));
    if (!is_new) return known->second;
    LaunchTensor tensor;
    tensor.name = name;
    tensor.dtype = Dtype::U8;
    tensor.shape = {i64(at.bytes)};
    tensor.strides = {1};
    tensor.resident = at.resident();
    tensor.freed = at.freed;
    out_.tensors.push_back(std::move(tensor));
    return known->second;
  }

  DeviceMemory& memory_;
  const LaunchRequest& request_;
  Kernel& kernel_;
  Launch out_;
  std::vector<Pointer> pointers_;
  std::map<const Allocation*, u32> tensors_;
  std::map<u32, i32> fields_;  // by parameter
};

}  // namespace

Launch launch_of(Session& session, const LaunchRequest& request) { return Builder(session, request).build(); }

}  // namespace ropewalk::driver
