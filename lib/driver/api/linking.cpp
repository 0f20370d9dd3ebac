// The linker, of PTX: what is linked is one text in the end.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/api/api.h"
#include "lib/driver/api/jit_options.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

struct Link {
  std::string text;  // of PTX
  // For the log. The values are the program's own; it keeps them where they ask for a log.
  std::vector<int> options;
  void** values = nullptr;
};

namespace {

Handles<Link>& links() {
  static Handles<Link> all;
  return all;
}

// CUjitInputType
constexpr int cubin = 0, ptx = 1, fat_binary = 2;

// The directives that a text has once: those of the first one hold for all.
std::string without_head(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t\r");
    const auto begins = [&](const char* with) {
      return first != std::string::npos && !line.compare(first, std::strlen(with), with);
    };
    if (!begins(".version") && !begins(".target") && !begins(".address_size")) out += line;
    out += '\n';
    at = end + 1;
  }
  return out;
}

int add(Link* link, int type, const void* data) {
  Held held;
  if (!links().has(link)) return answer(Result::InvalidHandle);
  if (!data) return invalid_value;
  if (type != cubin && type != ptx && type != fat_binary) {
    held->unsupported(fmt::format("cuLinkAddData of input type {}", type));
    return answer(Result::NotSupported);
  }
  try {
    const PtxImage image = read_image(data, held->options().target);
    const Result result = check_text(*held, image);
    if (result != Result::Success) {
      JitOptions{unsigned(link->options.size()), link->options.data(), link->values}.write_log(last_image_error());
      return answer(result);
    }
    link->text += link->text.empty() ? image.text : without_head(image.text);
    return success;
  } catch (const InputError& error) {
    held->record().not_run("cuLinkAddData", error.what());
    return answer(type == cubin ? Result::NotSupported : Result::InvalidPtx);
  }
}

}  // namespace

RW_CUDA cuLinkCreate_v2(unsigned count, int* options, void** values, Link** link) {
  RW_CALL(call);
  if (!link) return invalid_value;
  *link = links().add(std::make_unique<Link>());
  (*link)->options.assign(options, options + count);
  (*link)->values = values;
  return success;
}

RW_CUDA cuLinkAddData_v2(Link* link, int type, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  const PublicCall name("cuLinkAddData");
  if (type != ptx) return add(link, type, data);
  const std::string text(static_cast<const char*>(data), bytes);  // it need not end with a zero
  return add(link, type, text.c_str());
}

RW_CUDA cuLinkAddFile_v2(Link* link, int type, const char* path, unsigned, int*, void**) {
  const PublicCall name("cuLinkAddFile");
  try {
    const std::string bytes(MappedFile(path).text());
    return add(link, type, bytes.c_str());
  } catch (const InputError&) {
    return answer(Result::FileNotFound);
  }
}

RW_CUDA cuLinkComplete(Link* link, void** image, std::size_t* bytes) {
  Held held;
  if (!links().has(link) || !image) return answer(Result::InvalidHandle);
  *image = link->text.data();
  if (bytes) *bytes = link->text.size();
  return success;
}

RW_CUDA cuLinkDestroy(Link* link) {
  Held held;
  return links().remove(link) ? success : answer(Result::InvalidHandle);
}

}  // namespace ropewalk::driver
