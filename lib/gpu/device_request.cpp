#include "lib/gpu/device_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "lib/base/error.h"
#include "lib/launch/allowed.h"
#include "lib/launch/values.h"
#include "lib/ptx/write.h"

namespace ropewalk::gpu {

namespace {

DeviceRequest::Parameter parameter_of(const Launch& launch, const Argument& argument, u64 bytes) {
  DeviceRequest::Parameter out;
  out.bytes.resize(bytes);
  for_values(argument, [&](const auto& value, u64 at) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, TensorArgument>) {
      const LaunchTensor& tensor = launch.tensors[value.tensor];
      i64 offset = value.offset_elements;
      if (value.region >= 0) offset += start_of(tensor, tensor.regions[u32(value.region)]);
      if (at + 8 <= bytes) out.pointers.push_back({at, i32(value.tensor), "", offset * i64(size_of(tensor.dtype))});
    } else if constexpr (std::is_same_v<Value, ScalarArgument>) {
      if (at + size_of(value.dtype) <= bytes) std::memcpy(out.bytes.data() + at, &value.bits, size_of(value.dtype));
    }
  });
  return out;
}

// Both directions visit the same members in the same order.
class RequestWriter {
 public:
  template <class Value>
  void operator()(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      append(&value, sizeof value);
    } else {
      (*this)(u64(value.size()));
      if constexpr (std::is_trivially_copyable_v<typename Value::value_type>)
        append(value.data(), value.size() * sizeof(typename Value::value_type));
      else
        for (const auto& one : value) visit(*this, one);
    }
  }
  std::vector<std::byte> out;

 private:
  void append(const void* from, u64 bytes) {
    const auto* at = static_cast<const std::byte*>(from);
    out.insert(out.end(), at, at + bytes);
  }
};

class RequestReader {
 public:
  explicit RequestReader(std::span<const std::byte> from) : from_(from) {}
  template <class Value>
  void operator()(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      take(&value, sizeof value);
    } else {
      u64 count = 0;
      (*this)(count);
      value.resize(count);
      if constexpr (std::is_trivially_copyable_v<typename Value::value_type>)
        take(value.data(), count * sizeof(typename Value::value_type));
      else
        for (auto& one : value) visit(*this, one);
    }
  }

 private:
  void take(void* to, u64 bytes) {
    if (from_.size() < bytes) throw InternalError("a request to a device ends inside");
    std::memcpy(to, from_.data(), bytes);
    from_ = from_.subspan(bytes);
  }
  std::span<const std::byte> from_;
};

template <class Way, class Pointer>
requires std::is_same_v<std::remove_const_t<Pointer>, LaunchPointer>
void visit(Way& way, Pointer& pointer) {
  way(pointer.at), way(pointer.tensor), way(pointer.variable), way(pointer.offset);
}
template <class Way, class Tensor>
requires std::is_same_v<std::remove_const_t<Tensor>, DeviceRequest::Tensor>
void visit(Way& way, Tensor& tensor) { way(tensor.bytes), way(tensor.alignment), way(tensor.pointers); }
template <class Way, class Parameter>
requires std::is_same_v<std::remove_const_t<Parameter>, DeviceRequest::Parameter>
void visit(Way& way, Parameter& parameter) { way(parameter.bytes), way(parameter.pointers); }
template <class Way, class Variable>
requires std::is_same_v<std::remove_const_t<Variable>, DeviceRequest::Variable>
void visit(Way& way, Variable& variable) { way(variable.name), way(variable.bytes), way(variable.pointers); }
template <class Way, class Request>
void visit_all(Way& way, Request& request) {
  way(request.path), way(request.version), way(request.target), way(request.text), way(request.entry);
  way(request.grid), way(request.block), way(request.dynamic_shared_bytes), way(request.location);
  way(request.tensors), way(request.parameters), way(request.variables);
}

}  // namespace

DeviceRequest request_of(const Launch& launch) {
  const ptx::Function* const entry = launch.module->entry(launch.entry);
  if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
  DeviceRequest out;
  out.path = launch.module->path;
  out.version = launch.module->version;
  out.target = launch.module->target;
  out.text = ptx::write(*launch.module);
  out.entry = entry->name;
  out.grid = launch.grid;
  out.block = launch.block;
  out.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  out.location = launch.location;
  for (const LaunchTensor& tensor : launch.tensors)
    out.tensors.push_back({tensor.bytes(), tensor.alignment, tensor.pointers});
  for (u32 n = 0; n < entry->parameter_count; ++n) {
    const Argument missing = NullArgument{};
    out.parameters.push_back(parameter_of(launch, n < launch.arguments.size() ? launch.arguments[n] : missing,
                                          std::max<u64>(1, entry->parameter(n).bytes())));
  }
  for (const LaunchVariable& variable : launch.variables)
    out.variables.push_back({variable.name, variable.bytes, variable.pointers});
  return out;
}

std::vector<std::byte> bytes_of(const DeviceRequest& request) {
  RequestWriter writer;
  visit_all(writer, request);
  return std::move(writer.out);
}

DeviceRequest request_in(std::span<const std::byte> bytes) {
  DeviceRequest request;
  RequestReader reader(bytes);
  visit_all(reader, request);
  return request;
}

}  // namespace ropewalk::gpu
