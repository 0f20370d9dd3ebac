#include "lib/rope/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/tensor/npy.h"
#include "lib/tensor/npz.h"
#include "lib/tensor/safetensors.h"
#include "lib/tensor/torch_file.h"

namespace ropewalk::rope {
namespace {

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// A file with arrays that had to be unpacked from it.
struct Unpacked {
  MappedFile file;
  std::vector<TorchTensor> tensors;
  std::vector<std::unique_ptr<Array>> arrays;

  void add(Dump& dump, const std::string& name, Array array) {
    arrays.push_back(std::make_unique<Array>(std::move(array)));
    const Array& kept = *arrays.back();
    dump.tensors.push_back({name, kept.dtype, kept.shape, kept.bytes, false});
  }
};

// What ropewalk.rope.dump notes of the file.
i64 position_offset_of(const Safetensors& file) {
  for (const auto& [key, value] : file.metadata()) {
    if (key != "ropewalk") continue;
    const Json about = Json::parse(value, nullptr, false);
    const auto offset = about.find("position_offset");  // the end, where it is no object
    if (offset != about.end() && offset->is_number_unsigned()) return i64(std::min(offset->get<u64>(), u64(1) << 40));
  }
  return 0;
}

void read_safetensors(Dump& dump) {
  const auto file = std::make_shared<Safetensors>(Safetensors::open(dump.path));
  for (const Safetensors::Entry& entry : file->entries()) {
    if (entry.dtype) dump.tensors.push_back({entry.name, *entry.dtype, entry.shape, file->data(entry), true});
    if (!entry.dtype) dump.unusable.push_back({entry.name, entry.dtype_text + text_of(entry.shape)});
  }
  dump.position_offset = position_offset_of(*file);
  dump.owner = file;
}

// .npy has no bf16: 16-bit integers are its bits, or those of f16 where that is given.
void take_bits(DumpTensor& tensor, const RawForm& raw) {
  if (tensor.dtype == Dtype::U16) tensor.dtype = raw.dtype == Dtype::F16 ? Dtype::F16 : Dtype::BF16;
}

void read_single(Dump& dump, const std::shared_ptr<Unpacked>& unpacked, const RawForm& raw) {
  const NpyView view = view_npy(unpacked->file.bytes(), dump.path);
  if (view.in_place()) {
    dump.tensors.push_back({stem_of(dump.path), view.header.dtype, view.header.shape, view.data, true});
  } else {
    unpacked->add(dump, stem_of(dump.path), read_npy(unpacked->file.bytes(), dump.path));
  }
  dump.takes_dtype = dump.tensors.back().dtype == Dtype::U16;
  take_bits(dump.tensors.back(), raw);
}

void read_torch_tensors(Dump& dump, Unpacked& unpacked) {
  unpacked.tensors = read_torch(unpacked.file.bytes(), dump.path);
  for (const TorchTensor& tensor : unpacked.tensors) {
    dump.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.data, tensor.copy == nullptr});
  }
}

void read_raw(Dump& dump, const Unpacked& unpacked, const RawForm& raw) {
  if (!raw.shape || !raw.dtype) {
    throw InputError(InputLocation{dump.path}, "raw bytes tell neither shape nor dtype: give --shape and --dtype");
  }
  const std::optional<i64> count = checked_element_count(*raw.shape);
  const u64 held = unpacked.file.bytes().size(), size = size_of(*raw.dtype);
  if (!count || held % size != 0 || held / size != u64(*count)) {
    throw InputError(InputLocation{dump.path},
                     "holds " + std::to_string(held) + " bytes, but --shape " + text_of(*raw.shape) + " of " +
                         std::string(name_of(*raw.dtype)) + " needs " +
                         (count ? std::to_string(*count) + " x " : "more than 2^63 x ") + std::to_string(size));
  }
  dump.takes_dtype = true;
  dump.tensors.push_back({stem_of(dump.path), *raw.dtype, *raw.shape, unpacked.file.bytes(), true});
}

bool is_usable(const DumpTensor& tensor) {
  return (is_floating(tensor.dtype) || tensor.dtype == Dtype::C64) && size_of(tensor.dtype) > 1 &&
         element_count(tensor.shape) > 0;
}

}  // namespace

Dump open_dump(const std::string& path, const RawForm& raw) {
  Dump dump;
  dump.path = path;
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") {
    read_safetensors(dump);
  } else {
    const auto unpacked = std::make_shared<Unpacked>(Unpacked{MappedFile(path), {}, {}});
    dump.owner = unpacked;
    const std::string_view text = unpacked->file.text();
    if (extension == ".npz") {
      const Npz archive(unpacked->file.bytes(), path);
      for (const std::string& name : archive.names()) unpacked->add(dump, name, archive.load(name));
    } else if (extension == ".pt" || extension == ".pth") {
      read_torch_tensors(dump, *unpacked);
    } else if (extension == ".npy" || text.starts_with("\x93NUMPY")) {
      read_single(dump, unpacked, raw);
    } else {
      read_raw(dump, *unpacked, raw);
    }
  }
  for (const DumpTensor& tensor : dump.tensors) {
    if (!is_usable(tensor))
      dump.unusable.push_back({tensor.name, fmt::format("{}{}", name_of(tensor.dtype), text_of(tensor.shape))});
    if (!is_floating(tensor.dtype) && tensor.dtype != Dtype::C64) dump.integers.push_back(tensor);
  }
  std::erase_if(dump.tensors, [](const DumpTensor& tensor) { return !is_usable(tensor); });
  if (dump.tensors.empty()) {
    std::vector<std::string> some;
    for (const auto& [name, what] : dump.unusable) some.push_back(fmt::format("{} is {}", name, what));
    if (some.size() > 3) some.resize(3), some.push_back("...");
    throw InputError(InputLocation{path}, fmt::format("holds no values of f16, bf16, f32, f64 or c64{}{}",
                                                      some.empty() ? "" : ": ", fmt::join(some, ", ")));
  }
  return dump;
}

}  // namespace ropewalk::rope
