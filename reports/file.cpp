#include "reports/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "lib/base/error.h"

namespace ropewalk::reports {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(InputLocation{path}, "cannot write this file: " + what);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The descriptor that a path such as /dev/stdout stands for. What it leads to may be a regular file, which others write
// to as well.
std::optional<int> descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return std::nullopt;
}

// Where a link leads, so that the link stays.
std::string target_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> target(realpath(path.c_str(), nullptr), &std::free);
  return target ? target.get() : path;
}

// Whether something that is neither a regular file nor missing stands at the path.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

// 0, or the errno of what failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(size_t(count));
  }
  return 0;
}

constexpr int patience_ms = 5000;  // for somebody to read from a pipe

void write_straight(const std::string& path, std::string_view text) {
  // A pipe that nobody reads must not be waited for without end.
  int opened = -1;
  for (int waited_ms = 0; waited_ms <= patience_ms; waited_ms += 50) {
    opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened >= 0 || errno != ENXIO) break;
    ::usleep(50'000);
  }
  const Descriptor file(opened);
  if (opened < 0 && errno == ENXIO) fail(path, "it is a pipe that nobody reads");
  if (opened < 0) fail(path, std::strerror(errno));
  if (::fcntl(opened, F_SETFL, O_WRONLY) != 0) fail(path, std::strerror(errno));
  if (const int error = write_all(file.number(), text)) fail(path, std::strerror(error));
}

}  // namespace

void require_writable(const std::string& path) {
  struct stat status {};
  if (path.empty() || path.back() == '/') fail(path, "a file name is missing");
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) fail(path, "it is a folder");
  if (const auto descriptor = descriptor_named(path)) {
    if (fcntl(*descriptor, F_GETFD) < 0) fail(path, std::strerror(errno));
    return;
  }
  if (is_special(path)) return;
  const std::string folder = folder_of(path);
  if (stat(folder.c_str(), &status) != 0) fail(path, "there is no folder " + folder);
  if (!S_ISDIR(status.st_mode)) fail(path, folder + " is not a folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail(path, "no right to write in the folder " + folder);
}

void write_file_atomically(const std::string& path, std::string_view text) {
  require_writable(path);
  if (const auto descriptor = descriptor_named(path)) {
    if (const int error = write_all(*descriptor, text)) fail(path, std::strerror(error));
    return;
  }
  if (is_special(path)) return write_straight(path, text);

  const std::string target = target_of(path);
  std::string temporary = target + ".XXXXXX";
  Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number() < 0) fail(path, std::strerror(errno));
  int error = write_all(file.number(), text);
  // mkostemp gives a file to its owner alone; a report is for everybody whom the umask lets read it.
  const mode_t mask = umask(0);
  umask(mask);
  if (!error && fchmod(file.number(), 0666 & ~mask) != 0) error = errno;
  if (!error && fsync(file.number()) != 0) error = errno;
  if (!file.close() && !error) error = errno;
  if (!error && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error) {
    unlink(temporary.c_str());
    fail(path, std::strerror(error));
  }
}

}  // namespace ropewalk::reports
