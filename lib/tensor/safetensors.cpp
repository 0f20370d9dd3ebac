#include "lib/tensor/safetensors.h"

#include <algorithm>
#include <array>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

constexpr u64 longest_header = 100'000'000;  // of the format

struct FileDtype {
  std::string_view name;
  u32 bits;
  std::optional<Dtype> dtype;
};
constexpr std::array<FileDtype, 22> known_dtypes{{{"BOOL", 8, Dtype::Bool},
                                                  {"F4", 4, std::nullopt},
                                                  {"F6_E2M3", 6, std::nullopt},
                                                  {"F6_E3M2", 6, std::nullopt},
                                                  {"U8", 8, Dtype::U8},
                                                  {"I8", 8, Dtype::I8},
                                                  {"F8_E5M2", 8, Dtype::F8E5M2},
                                                  {"F8_E4M3", 8, Dtype::F8E4M3},
                                                  {"F8_E8M0", 8, std::nullopt},
                                                  {"F8_E4M3FNUZ", 8, std::nullopt},
                                                  {"F8_E5M2FNUZ", 8, std::nullopt},
                                                  {"I16", 16, Dtype::I16},
                                                  {"U16", 16, Dtype::U16},
                                                  {"F16", 16, Dtype::F16},
                                                  {"BF16", 16, Dtype::BF16},
                                                  {"I32", 32, Dtype::I32},
                                                  {"U32", 32, Dtype::U32},
                                                  {"F32", 32, Dtype::F32},
                                                  {"C64", 64, Dtype::C64},
                                                  {"F64", 64, Dtype::F64},
                                                  {"I64", 64, Dtype::I64},
                                                  {"U64", 64, Dtype::U64}}};

const FileDtype& dtype_of(const JsonCursor& cursor) {
  std::vector<std::string> names;
  for (const FileDtype& known : known_dtypes) names.emplace_back(known.name);
  return known_dtypes[cursor.choice(names, "dtype")];
}

}  // namespace

Safetensors Safetensors::open(const std::string& path) {
  Safetensors result;
  result.path_ = path;
  result.file_.emplace(path);
  result.bytes_ = result.file_->bytes();
  result.read();
  return result;
}

Safetensors Safetensors::parse(std::span<const std::byte> bytes, const std::string& path) {
  Safetensors result;
  result.path_ = path;
  result.bytes_ = bytes;
  result.read();
  return result;
}

void Safetensors::read() {
  const InputLocation at_length{path_, 0, 0, "header length"};
  if (bytes_.size() < 8) throw InputError(at_length, "the file ends inside it");
  u64 length = 0;
  for (size_t i = 0; i < 8; ++i) length |= u64(bytes_[i]) << (8 * i);
  if (length > longest_header) {
    throw InputError(at_length, "is " + std::to_string(length) + ", the format allows at most 100000000");
  }
  if (length > bytes_.size() - 8) {
    throw InputError(at_length, "is " + std::to_string(length) + ", but only " + std::to_string(bytes_.size() - 8) +
                                    " bytes follow");
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + 8, length);
  if (text.empty() || text.front() != '{')
    throw InputError(InputLocation{path_, 0, 0, "header"}, "does not begin with '{'");
  buffer_ = bytes_.subspan(8 + length);

  for (const auto& [name, cursor] : JsonCursor(parse_json(text, path_ + " (header)"), path_).members()) {
    if (name != "__metadata__") {
      entries_.push_back(read_entry(cursor, name));
      continue;
    }
    for (const auto& [key, value] : cursor.members()) metadata_.emplace_back(key, value.text());
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  u64 covered = 0;
  for (const Entry& entry : entries_) {
    if (entry.begin != covered) {
      throw InputError(InputLocation{path_, 0, 0, entry.name + ".data_offsets"},
                       std::string(entry.begin > covered ? "leaves a hole" : "overlaps another tensor") +
                           ": begins at " + std::to_string(entry.begin) + ", but the tensors before it end at " +
                           std::to_string(covered));
    }
    covered = entry.end;
  }
  if (covered != buffer_.size()) {
    throw InputError(InputLocation{path_}, "the tensors fill " + std::to_string(covered) +
                                               " bytes, but the buffer has " + std::to_string(buffer_.size()));
  }
}

Safetensors::Entry Safetensors::read_entry(const JsonCursor& cursor, const std::string& name) const {
  cursor.expect_keys({"dtype", "shape", "data_offsets"});
  const FileDtype& dtype = dtype_of(cursor.at("dtype"));
  Entry entry{name, std::string(dtype.name), dtype.dtype, {}, 0, 0};
  const JsonCursor shape = cursor.at("shape");
  for (const JsonCursor& extent : shape.elements()) entry.shape.push_back(extent.integer(0, INT64_MAX));
  if (entry.shape.size() > 64) shape.fail("has more than 64 dimensions");
  const JsonCursor offsets = cursor.at("data_offsets");
  const std::vector<JsonCursor> ends = offsets.elements(2, "[begin, end]");
  entry.begin = ends[0].natural(0, buffer_.size());
  entry.end = ends[1].natural(0, buffer_.size());
  if (entry.end < entry.begin) offsets.fail("ends before it begins");

  const std::optional<i64> count = checked_element_count(entry.shape);
  // The buffer is smaller than 2^60 bytes, so a count that large can be refused before it is multiplied.
  if (!count || *count > (i64(1) << 57) || u64(*count) * dtype.bits != (entry.end - entry.begin) * 8) {
    offsets.fail("holds " + std::to_string(entry.end - entry.begin) + " bytes, but shape " + text_of(entry.shape) +
                 " of " + entry.dtype_text + " needs " +
                 (count ? std::to_string(*count) + " x " : "more than 2^63 x ") + std::to_string(dtype.bits) + " bits");
  }
  return entry;
}

Array Safetensors::load(std::string_view name) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    names.push_back(entry.name);
    if (entry.name != name) continue;
    if (!entry.dtype) {
      throw InputError(InputLocation{path_, 0, 0, entry.name},
                       "tensors of dtype " + entry.dtype_text + " cannot be used");
    }
    const std::span<const std::byte> data = buffer_.subspan(entry.begin, entry.end - entry.begin);
    return Array{*entry.dtype, entry.shape, {data.begin(), data.end()}};
  }
  throw InputError(InputLocation{path_}, "has no tensor \"" + std::string(name) + "\", " + did_you_mean(name, names));
}

}  // namespace ropewalk
