#include "lib/trace/recorder/images.h"

#include <fstream>

#include "lib/base/error.h"

namespace ropewalk::trace {

namespace {

constexpr std::size_t most_kept = std::size_t(1) << 28;  // bytes of PTX, as it came

bool has_entry(const std::string& ptx, const std::string& kernel) {
  std::vector<ParameterRange> ranges;
  return parameters_in_ptx(ptx, kernel, ranges);
}

// Texts that cannot be unpacked are as good as none.
void unpack(Image& image) {
  for (PackedPtx& packed : image.packed) {
    packed.entry.packed = packed.bytes;
    try {
      image.ptx.push_back(ptx::unpack(packed.entry, "fat binary"));
    } catch (const InputError&) {
    }
  }
  image.packed.clear();
}

}  // namespace

void Images::keep(Handle module, Image image) {
  const std::lock_guard lock(mutex_);
  for (const std::string& text : image.ptx) kept_bytes_ += text.size();
  for (const PackedPtx& packed : image.packed) kept_bytes_ += packed.bytes.size();
  if (kept_bytes_ > most_kept) image.ptx.clear(), image.packed.clear();
  of_module_[module] = images_.size();
  images_.push_back(std::move(image));
}

void Images::loaded(Handle module, const void* image) {
  if (image) keep(module, image_at(image));
}

void Images::loaded_from(Handle module, const char* path) {
  Image image;
  image.kind = "file";
  image.path = path ? path : "";
  std::ifstream file(image.path, std::ios::binary);
  Image inside = image_of_file({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  inside.path = image.path;
  keep(module, inside.kind.empty() ? image : inside);
}

void Images::unloaded(Handle module) {
  const std::lock_guard lock(mutex_);
  of_module_.erase(module);
}

bool Images::parameters_of(const std::string& kernel, std::vector<ParameterRange>& to) {
  const std::lock_guard lock(mutex_);
  for (auto image = images_.rbegin(); image != images_.rend(); ++image) {
    unpack(*image);
    for (const std::string& text : image->ptx) {
      if (parameters_in_ptx(text, kernel, to)) return true;
    }
  }
  return false;
}

nlohmann::ordered_json Images::json(const std::string& kernel, Handle module, const std::string& folder) {
  const std::lock_guard lock(mutex_);
  nlohmann::ordered_json out;
  const auto tell = [&](std::size_t number) {
    Image& image = images_[number];
    unpack(image);
    out["kind"] = image.kind;
    out["bytes"] = image.bytes;
    if (!image.path.empty()) out["path"] = image.path;
    if (image.hash) out["hash"] = image.hash;
    for (std::size_t n = 0; n < image.ptx.size(); ++n) {
      if (!has_entry(image.ptx[n], kernel)) continue;
      const std::string name = "module-" + std::to_string(number) + "-" + std::to_string(n) + ".ptx";
      std::ofstream(folder + "/" + name, std::ios::binary) << image.ptx[n];
      out["file"] = name;
      return;
    }
  };
  if (const auto at = of_module_.find(module); module && at != of_module_.end()) {
    tell(at->second);
    return out;
  }
  // The driver does not say which module it is: it is the last one that has a kernel of that name.
  for (std::size_t number = images_.size(); number-- > 0;) {
    unpack(images_[number]);
    for (const std::string& text : images_[number].ptx) {
      if (!has_entry(text, kernel)) continue;
      tell(number);
      return out;
    }
  }
  return out;
}

}  // namespace ropewalk::trace
