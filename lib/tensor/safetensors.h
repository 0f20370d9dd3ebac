// Safetensors files: an 8-byte header length, a JSON header, and one buffer that the tensors fill without holes
// (github.com/huggingface/safetensors, README, "Format").
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/mapped_file.h"
#include "lib/tensor/array.h"

namespace ropewalk {

class Safetensors {
 public:
  struct Entry {
    std::string name;
    std::string dtype_text;      // as the file names it: "BF16", "F8_E8M0"
    std::optional<Dtype> dtype;  // nullopt for the types that we cannot hold (F4, F6, F8_E8M0, the FNUZ types)
    Shape shape;
    u64 begin = 0, end = 0;  // bytes of the buffer
  };

  // Maps the file and checks all that the format demands: the header's length and form, no key twice, offsets that
  // cover the buffer without holes or overlaps, lengths that fit shape and dtype. Throws InputError with the field at
  // fault.
  static Safetensors open(const std::string& path);
  // The same for bytes in memory, which must outlive the object. `path` is used in messages.
  static Safetensors parse(std::span<const std::byte> bytes, const std::string& path);

  // In the order of the buffer.
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }
  // Throws InputError that names the nearest tensor where there is none of this name, or where its dtype is one that we
  // cannot hold.
  Array load(std::string_view name) const;
  // The bytes of one of the entries, in the file; they live as long as the object.
  std::span<const std::byte> data(const Entry& entry) const {
    return buffer_.subspan(entry.begin, entry.end - entry.begin);
  }

 private:
  void read();
  Entry read_entry(const class JsonCursor& cursor, const std::string& name) const;

  std::string path_;
  std::optional<MappedFile> file_;
  std::span<const std::byte> bytes_;
  std::span<const std::byte> buffer_;
  std::vector<Entry> entries_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace ropewalk
