#include "lib/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "lib/base/file_error.h"

namespace ropewalk {
namespace {

[[noreturn]] void cannot(const char* what, const std::string& path, int error) {
  throw FileError(InputLocation{path}, std::string("cannot be ") + what + ": " + std::strerror(error));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  if (path.find('\0') != std::string::npos) cannot("opened", path, ENOENT);
  // A pipe without a writer must not be waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) cannot("opened", path, errno);
  struct stat status {};
  int error = ::fstat(file, &status) != 0 ? errno : 0;
  if (!error && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    ::close(file);
    throw InputError(InputLocation{path},
                     S_ISFIFO(status.st_mode) ? "is a pipe; expected a file" : "is a device; expected a file");
  }
  if (!error && S_ISDIR(status.st_mode)) error = EISDIR;
  if (!error && status.st_size > 0) {
    void* data = ::mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      error = errno;
    } else {
      data_ = static_cast<const std::byte*>(data);
      size_ = size_t(status.st_size);
    }
  }
  ::close(file);
  if (error) cannot("read", path, error);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) cannot("written", path, errno);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file) cannot("written", path, errno);
}

}  // namespace ropewalk
