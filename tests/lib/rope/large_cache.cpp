// A rope cache of 4 GiB as one safetensors file, judged in a process of its own whose memory is measured:
// large_cache ROPE_CHECK FOLDER [GIB]. Exits 1 where the judgement is not as it should be, or took 200 MB or more.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr long columns = 128, pairs = columns / 2, stretch = 1024;

// Rows [cos | sin] of theta 10000, stretch after stretch: the angles of its first row are exact, those of the others
// are added to them.
class Rows {
 public:
  Rows() : cosine_(stretch * pairs), sine_(stretch * pairs) {
    for (long row = 0; row < stretch; ++row) {
      for (long i = 0; i < pairs; ++i) {
        cosine_[row * pairs + i] = std::cos(double(row) * frequency(i));
        sine_[row * pairs + i] = std::sin(double(row) * frequency(i));
      }
    }
  }
  void write(std::ofstream& file, long first_row) {
    for (long i = 0; i < pairs; ++i) {
      const double c = std::cos(double(first_row) * frequency(i)), s = std::sin(double(first_row) * frequency(i));
      for (long row = 0; row < stretch; ++row) {
        const double cosine = cosine_[row * pairs + i], sine = sine_[row * pairs + i];
        values_[row * columns + i] = float(cosine * c - sine * s);
        values_[row * columns + pairs + i] = float(sine * c + cosine * s);
      }
    }
    file.write(reinterpret_cast<const char*>(values_.data()), long(values_.size() * sizeof(float)));
  }

 private:
  static double frequency(long i) { return std::pow(10000.0, -2.0 * double(i) / double(columns)); }

  std::vector<double> cosine_, sine_;
  std::vector<float> values_ = std::vector<float>(stretch * columns);
};

void write_cache(const std::string& path, long rows) {
  std::string header =
      fmt::format(R"({{"model.rotary_emb.cos_sin_cache":{{"dtype":"F32","shape":[{},{}],"data_offsets":[0,{}]}}}})",
                  rows, columns, rows * columns * 4);
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const unsigned long size = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&size), 8);
  file << header;
  Rows table;
  for (long row = 0; row < rows; row += stretch) table.write(file, row);
}

struct Judged {
  int exit_code = -1;
  double seconds = 0, megabytes = 0;  // wall time, largest resident size
};

Judged judge(const std::string& program, const std::string& path, const std::string& theta) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "cache", path.c_str(), "--theta", theta.c_str(), "--head-dim", "128",
            "--quiet", nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, seconds, double(usage.ru_maxrss) * 1024 / 1e6};
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const double gib = count > 3 ? std::atof(words[3]) : 4;
  const std::string path = std::string(words[2]) + "/large.safetensors";
  const long rows = long(gib * double(1 << 30)) / (columns * 4) / stretch * stretch;
  write_cache(path, rows);
  const double size = double(std::filesystem::file_size(path));
  bool right = true;
  const auto expect = [&](const char* what, const std::string& theta, int exit_code) {
    const Judged got = judge(words[1], path, theta);
    right &= got.exit_code == exit_code && got.megabytes < 200;
    fmt::print("{:<28}{:6.2f} GB judged in {:.2f} s, {:.2f} GB/s, at most {:.1f} MB resident, exit {}\n", what,
               size / 1e9, got.seconds, size / got.seconds / 1e9, got.megabytes, got.exit_code);
  };
  expect("right", "10000", 0);
  expect("another theta", "10001", 1);
  std::filesystem::resize_file(path, size_t(size) - 4);
  expect("cut by one value", "10000", 2);
  std::filesystem::remove(path);
  return right ? 0 : 1;
}
