// The linker, of PTX: what is linked is one text in the end (lib/ptx/link.h).
#include <fmt/format.h>

#include <string>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/api/api.h"
#include "lib/driver/api/jit_options.h"
#include "lib/driver/public_call.h"

namespace ropewalk::driver {

struct Link {
  std::vector<PtxImage> images;
  std::string text;  // of all, once it is complete
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

// The result as an answer, with the reason in the program's log.
int log(const Link& link, Result result) {
  if (result != Result::Success)
    JitOptions{unsigned(link.options.size()), link.options.data(), link.values}.write_log(last_image_error());
  return answer(result);
}

int add(Link* link, int type, const void* data) {
  Held held;
  if (!links().has(link)) return answer(Result::InvalidHandle);
  if (!data) return invalid_value;
  if (type != cubin && type != ptx && type != fat_binary) {
    held->unsupported(fmt::format("cuLinkAddData of input type {}", type));
    return answer(Result::NotSupported);
  }
  const Result unreadable = type == cubin ? Result::NotSupported : Result::InvalidPtx;
  return log(*link, add_image(*held, data, unreadable, link->images));
}

}  // namespace

RW_CUDA cuLinkCreate_v2(unsigned count, int* options, void** values, Link** link) {
  RW_CALL(call);
  if (!link || !has_list(options, count) || !has_list(values, count)) return invalid_value;
  *link = links().add(std::make_unique<Link>());
  (*link)->options.assign(options, options + count);
  (*link)->values = values;
  return success;
}

RW_CUDA cuLinkAddData_v2(Link* link, int type, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  const PublicCall name("cuLinkAddData");
  if (type != ptx || !data) return add(link, type, data);
  const std::string text(static_cast<const char*>(data), bytes);  // it need not end with a zero
  return add(link, type, text.c_str());
}

RW_CUDA cuLinkAddFile_v2(Link* link, int type, const char* path, unsigned, int*, void**) {
  const PublicCall name("cuLinkAddFile");
  RW_NEEDS(path);
  std::string bytes;
  try {
    bytes = MappedFile(path).text();
  } catch (const InputError&) {
    return answer(Result::FileNotFound);
  }
  try {
    expect_whole_image(bytes, path);
  } catch (const InputError&) {
    return answer(Result::InvalidImage);
  }
  return add(link, type, bytes.c_str());
}

RW_CUDA cuLinkComplete(Link* link, void** image, std::size_t* bytes) {
  Held held;
  if (!links().has(link)) return answer(Result::InvalidHandle);
  RW_NEEDS(image);
  const PublicCall name("cuLinkComplete");
  if (const int error = log(*link, link_images(*held, link->images, &link->text))) return error;
  *image = link->text.data();
  if (bytes) *bytes = link->text.size();
  return success;
}

RW_CUDA cuLinkDestroy(Link* link) {
  Held held;
  return links().remove(link) ? success : answer(Result::InvalidHandle);
}

}  // namespace ropewalk::driver
