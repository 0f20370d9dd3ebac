// A file's bytes, mapped into memory for reading.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ropewalk {

class MappedFile {
 public:
  // Throws InputError that names the path and the reason where the file cannot be read (a folder cannot).
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// Writes `bytes` as the file's new contents. Throws InputError that names the path and the reason.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace ropewalk
