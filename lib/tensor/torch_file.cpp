#include "lib/tensor/torch_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "lib/base/error.h"
#include "lib/tensor/pickle.h"
#include "lib/tensor/zip.h"

namespace ropewalk {
namespace {

constexpr int deepest = 64;
constexpr size_t most_visits = size_t(1) << 22;
// A tensor may repeat its storage (stride 0): up to so many elements are spelt out.
constexpr i64 most_copied = i64(1) << 28;

struct StorageType {
  const char* name;
  Dtype dtype;
  i64 parts = 1;  // of one element: complex128 is two f64
};
const std::vector<StorageType> storage_types = {
    {"torch.FloatStorage", Dtype::F32},        {"torch.DoubleStorage", Dtype::F64},
    {"torch.HalfStorage", Dtype::F16},         {"torch.BFloat16Storage", Dtype::BF16},
    {"torch.ComplexFloatStorage", Dtype::C64}, {"torch.ComplexDoubleStorage", Dtype::F64, 2},
    {"torch.LongStorage", Dtype::I64},         {"torch.IntStorage", Dtype::I32},
    {"torch.ShortStorage", Dtype::I16},        {"torch.CharStorage", Dtype::I8},
    {"torch.ByteStorage", Dtype::U8},          {"torch.BoolStorage", Dtype::Bool}};

constexpr const char* rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* rebuild_parameter = "torch._utils._rebuild_parameter";
constexpr const char* rebuild_parameter_with_state = "torch._utils._rebuild_parameter_with_state";
// Of a tensor with attributes, such as nn.Buffer: the function that rebuilds it, its type, arguments, attributes.
constexpr const char* rebuild_from_type = "torch._tensor._rebuild_from_type_v2";

std::vector<std::string> allowed_globals() {
  std::vector<std::string> names = {rebuild_tensor,
                                    rebuild_parameter,
                                    rebuild_parameter_with_state,
                                    rebuild_from_type,
                                    "torch.Tensor",
                                    "torch.nn.parameter.Parameter",
                                    "torch.nn.parameter.Buffer",
                                    "collections.OrderedDict",
                                    "torch.Size"};
  for (const StorageType& type : storage_types) names.emplace_back(type.name);
  return names;
}

class TorchReader {
 public:
  TorchReader(std::span<const std::byte> bytes, const std::string& path) : archive_(bytes, path), path_(path) {}

  std::vector<TorchTensor> read() {
    std::string pickle;
    for (const std::string& name : archive_.names()) {
      if (name.ends_with("data.pkl")) pickle = name;
    }
    if (pickle.empty()) fail("", "is a zip archive without a data.pkl, so not of torch.save");
    root_ = pickle.substr(0, pickle.size() - std::string_view("data.pkl").size());
    if (archive_.has(root_ + "byteorder")) {
      const std::vector<std::byte> order = archive_.load(root_ + "byteorder");
      if (order.size() >= 3 && std::memcmp(order.data(), "big", 3) == 0) fail("byteorder", "is big, expected little");
    }
    const std::vector<std::byte> bytes = archive_.load(pickle);
    const Pickle read = read_pickle(bytes, allowed_globals(), path_);
    collect(read.root, "", 0);
    return std::move(tensors_);
  }

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& what) const {
    throw InputError(InputLocation{path_, 0, 0, field}, what);
  }

  static std::string joined(const std::string& prefix, const std::string& key) {
    return prefix.empty() ? key : prefix + "." + key;
  }

  void collect(PickleRef value, const std::string& name, int depth) {
    if (depth > deepest) fail(name, "is nested more than " + std::to_string(deepest) + " deep");
    // A value that others share is visited once for each: few bytes can be very many visits.
    if (++visited_ > most_visits) fail(name, "is reached in more than " + std::to_string(most_visits) + " ways");
    if (auto* dict = std::get_if<PickleDict>(&value->value)) return collect_items(value, *dict, name, depth);
    if (auto* sequence = std::get_if<PickleSequence>(&value->value)) {
      if (!open_.insert(value).second) fail(name, "contains itself");
      for (size_t n = 0; n < sequence->items.size(); ++n) {
        collect(sequence->items[n], joined(name, std::to_string(n)), depth + 1);
      }
      open_.erase(value);
      return;
    }
    auto* call = std::get_if<PickleCall>(&value->value);
    if (!call) return;
    if (call->global == "collections.OrderedDict") return collect_items(value, call->dict, name, depth);
    const bool is_parameter = call->global == rebuild_parameter || call->global == rebuild_parameter_with_state;
    if (is_parameter && !call->arguments.empty()) return collect(call->arguments[0], name, depth + 1);
    if (call->global == rebuild_from_type) return collect_from_type(*call, name);
    if (call->global == rebuild_tensor) add(call->arguments, name.empty() ? "tensor" : name);
  }

  // _rebuild_from_type_v2(function, type, arguments, attributes): the attributes tell nothing of its values.
  void collect_from_type(const PickleCall& call, const std::string& name) {
    const auto* function = call.arguments.size() < 3 ? nullptr : std::get_if<PickleGlobal>(&call.arguments[0]->value);
    const auto* given = function ? std::get_if<PickleSequence>(&call.arguments[2]->value) : nullptr;
    if (!given || function->name != rebuild_tensor)
      fail(name, "is of a type with attributes, and is not rebuilt as a tensor");
    add(given->items, name.empty() ? "tensor" : name);
  }

  void collect_items(PickleRef value, const PickleDict& dict, const std::string& name, int depth) {
    if (!open_.insert(value).second) fail(name, "contains itself");
    for (const auto& [key, member] : dict.items) {
      const auto* text = std::get_if<std::string>(&key->value);
      const auto* index = std::get_if<i64>(&key->value);
      collect(member, joined(name, text ? *text : index ? std::to_string(*index) : "?"), depth + 1);
    }
    open_.erase(value);
  }

  i64 whole(PickleRef value, const std::string& name) const {
    const auto* number = std::get_if<i64>(&value->value);
    if (!number || *number < 0) fail(name, "expected a whole number that is not negative");
    return *number;
  }

  std::vector<i64> numbers(PickleRef value, const std::string& name) const {
    // torch.Size((2, 3)) is a call whose argument is the tuple.
    if (auto* call = std::get_if<PickleCall>(&value->value); call && call->arguments.size() == 1)
      value = call->arguments[0];
    const auto* sequence = std::get_if<PickleSequence>(&value->value);
    if (!sequence || sequence->items.size() > 64) fail(name, "expected up to 64 whole numbers");
    std::vector<i64> out;
    for (PickleRef item : sequence->items) out.push_back(whole(item, name));
    return out;
  }

  // The bytes of a storage, unpacked once where the archive has them packed.
  std::span<const std::byte> storage(const std::string& key, std::shared_ptr<const std::vector<std::byte>>& copy) {
    const std::string member = root_ + "data/" + key;
    if (archive_.is_stored(member)) return archive_.in_place(member);
    auto& kept = unpacked_[key];
    if (!kept) kept = std::make_shared<const std::vector<std::byte>>(archive_.load(member));
    copy = kept;
    return *kept;
  }

  // _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, bits)
  void add(const std::vector<PickleRef>& arguments, const std::string& name) {
    if (arguments.size() < 4) fail(name, "is rebuilt from too few values");
    const auto* persistent = std::get_if<PicklePersistent>(&arguments[0]->value);
    const auto* id = persistent ? std::get_if<PickleSequence>(&persistent->id->value) : nullptr;
    if (!id || id->items.size() < 5) fail(name, "has no storage");
    const auto* type = std::get_if<PickleGlobal>(&id->items[1]->value);
    const auto* key = std::get_if<std::string>(&id->items[2]->value);
    if (!type || !key) fail(name, "has a storage without type or key");
    const auto known = std::find_if(storage_types.begin(), storage_types.end(),
                                    [&](const StorageType& one) { return type->name == one.name; });
    if (known == storage_types.end()) fail(name, "has a storage of the type " + type->name);
    TorchTensor tensor{name, known->dtype, numbers(arguments[2], name), {}, nullptr};
    i64 offset = whole(arguments[1], name);
    Strides strides = numbers(arguments[3], name);
    if (known->parts > 1) take_parts(known->parts, tensor.shape, offset, strides);
    const std::span<const std::byte> bytes = storage(*key, tensor.copy);
    const i64 size = size_of(tensor.dtype), held = i64(bytes.size()) / size;
    const std::optional<i64> count = checked_element_count(tensor.shape);
    const std::optional<i64> span =
        strides.size() == tensor.shape.size() ? checked_element_span(tensor.shape, strides) : std::nullopt;
    if (!count || !span || offset > held || *span > held - offset) {
      fail(name, "of shape " + text_of(tensor.shape) + " and strides " + text_of(strides) +
                     " reaches past its storage of " + std::to_string(held) + " elements");
    }
    if (*count == 0) return;
    const std::span<const std::byte> begin = bytes.subspan(u64(offset * size));
    if (is_row_major(tensor.shape, strides)) {
      tensor.data = begin.first(u64(*count * size));
    } else {
      gather(begin, strides, *count, tensor);
    }
    if (arguments.size() > 6) apply_bits(*arguments[6], known->parts, tensor);
    tensors_.push_back(std::move(tensor));
  }

  // The parts of one element become the last axis. What overflows reaches past its storage.
  static void take_parts(i64 parts, Shape& shape, i64& offset, Strides& strides) {
    const auto times = [&](i64& number) {
      if (__builtin_mul_overflow(number, parts, &number)) number = i64(1) << 62;
    };
    times(offset);
    for (i64& stride : strides) times(stride);
    shape.push_back(parts);
    strides.push_back(1);
  }

  // What PyTorch has not done yet: {"conj": true} and {"neg": true}.
  void apply_bits(const PickleValue& bits, i64 parts, TorchTensor& tensor) const {
    const auto* dict = std::get_if<PickleDict>(&bits.value);
    bool conjugates = false, negates = false;
    for (const auto& [key, value] : dict ? dict->items : decltype(dict->items)()) {
      const auto* name = std::get_if<std::string>(&key->value);
      const auto* is_set = std::get_if<bool>(&value->value);
      if (!name || !is_set || (*name != "conj" && *name != "neg")) fail(tensor.name, "has unknown bits");
      (*name == "conj" ? conjugates : negates) = *is_set;
    }
    if (!conjugates && !negates) return;
    const bool is_complex = parts > 1 || tensor.dtype == Dtype::C64;
    const size_t size = size_of(tensor.dtype) / (tensor.dtype == Dtype::C64 ? 2 : 1);
    auto out = std::make_shared<std::vector<std::byte>>(tensor.data.begin(), tensor.data.end());
    for (size_t n = 0; n < out->size() / size; ++n) {
      const bool is_imaginary = is_complex && n % 2 == 1;
      if (negates != (conjugates && is_imaginary)) (*out)[(n + 1) * size - 1] ^= std::byte{0x80};
    }
    tensor.data = *out;
    tensor.copy = std::move(out);
  }

  // Strides of extents of 1 do not matter.
  static bool is_row_major(const Shape& shape, const Strides& strides) {
    const Strides wanted = contiguous_strides(shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1 && strides[d] != wanted[d]) return false;
    }
    return true;
  }

  void gather(std::span<const std::byte> begin, const Strides& strides, i64 count, TorchTensor& tensor) const {
    copied_ += count;
    if (copied_ > most_copied) fail(tensor.name, "has more than 2^28 elements that do not lie in row-major order");
    const size_t size = size_of(tensor.dtype);
    auto out = std::make_shared<std::vector<std::byte>>(u64(count) * size);
    std::vector<i64> index(tensor.shape.size(), 0);
    for (i64 n = 0; n < count; ++n) {
      std::memcpy(out->data() + size_t(n) * size, begin.data() + u64(offset_of(strides, index)) * size, size);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < tensor.shape[d]) break;
        index[d] = 0;
      }
    }
    tensor.data = *out;
    tensor.copy = std::move(out);
  }

  ZipArchive archive_;
  std::string path_, root_;
  std::vector<TorchTensor> tensors_;
  size_t visited_ = 0;
  std::set<const PickleValue*> open_;
  std::map<std::string, std::shared_ptr<const std::vector<std::byte>>> unpacked_;
  mutable i64 copied_ = 0;
};

}  // namespace

std::vector<TorchTensor> read_torch(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("PK")) {
    throw InputError(
        InputLocation{path},
        "is no zip archive; torch.save writes one since PyTorch 1.6: load the file there and save it again");
  }
  return TorchReader(bytes, path).read();
}

}  // namespace ropewalk
