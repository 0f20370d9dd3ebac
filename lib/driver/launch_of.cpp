// What a program launches, as a launch of the machine's.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "lib/driver/launch.h"
#include "lib/driver/module.h"
#include "lib/launch/unpack_argument.h"

namespace ropewalk::driver {

namespace {

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
    for (u32 n = 0; n < kernel_.parameters.size(); ++n) name_tensors(n);
    for (u32 n = 0; n < kernel_.parameters.size(); ++n) {
      out_.arguments.push_back(unpack_argument(kernel_.entry.parameter(n), bytes_of(n),
                                               [&](u32 offset, u64 bits) { return pointer(n, offset, bits); }));
    }
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

  std::string name_of(u32 parameter, u32 offset) const {
    const std::string name =
        parameter < request_.names.size() ? request_.names[parameter] : fmt::format("argument{}", parameter);
    return offset ? fmt::format("{}_{}", name, offset) : name;
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
      if (type != kernel_.accessed.end()) retype(out_.tensors[number], at, type->second);
    }
    LaunchTensor& tensor = out_.tensors[tensors_.at(&at)];
    if (into % size_of(tensor.dtype)) retype(tensor, at, Dtype::U8);
  }

  static void retype(LaunchTensor& tensor, const Allocation& at, Dtype dtype) {
    if (at.bytes % size_of(dtype)) return;
    tensor.dtype = dtype;
    tensor.shape = {i64(at.bytes / size_of(dtype))};
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

  std::optional<ArgumentValue> pointer(u32, u32, u64 bits) const {
    if (!bits) return std::nullopt;
    const MemoryPlace place = memory_.find(bits);
    if (!place.allocation) return std::nullopt;
    const u32 number = tensors_.at(place.allocation);
    return TensorArgument{number, -1, i64(place.offset / size_of(out_.tensors[number].dtype))};
  }

  DeviceMemory& memory_;
  const LaunchRequest& request_;
  Kernel& kernel_;
  Launch out_;
  std::map<const Allocation*, u32> tensors_;
};

}  // namespace

Launch launch_of(Session& session, const LaunchRequest& request) { return Builder(session, request).build(); }

}  // namespace ropewalk::driver
