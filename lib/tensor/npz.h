// NumPy's .npz files: zip archives of .npy files, stored or deflated.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/tensor/array.h"
#include "lib/tensor/zip.h"

namespace ropewalk {

class Npz {
 public:
  // Reads the archive's directory. The bytes must outlive the object; `path` is used in messages. Throws InputError
  // where the bytes are no zip archive or use what numpy does not write (encryption, archives of several volumes).
  Npz(std::span<const std::byte> bytes, std::string path);

  // Without ".npy", in the order of the archive.
  std::vector<std::string> names() const;
  // Throws InputError where there is no such array, or its data are damaged (length and checksum are compared).
  Array load(std::string_view name) const;

 private:
  std::string path_;
  ZipArchive archive_;
};

}  // namespace ropewalk
