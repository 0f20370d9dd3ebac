#include "lib/launch/write_launch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lib/base/mapped_file.h"
#include "lib/base/overloaded.h"
#include "lib/launch/launch_file.h"
#include "lib/ptx/write.h"
#include "lib/tensor/npy.h"

namespace ropewalk {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which people read a launch

// Up to this many elements an array is given inline.
constexpr i64 most_inline = 64;

// JSON has no NaN and no infinity; the reader takes these texts.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json element(const void* bytes, Dtype dtype) {
  if (is_floating(dtype)) return number(load_as_double(bytes, dtype));
  if (dtype == Dtype::Bool) return load_as_double(bytes, dtype) != 0;
  const u32 size = size_of(dtype);
  u64 bits = 0;
  std::memcpy(&bits, bytes, size);
  if (is_signed_integer(dtype)) return i64(bits << (64 - 8 * size)) >> (64 - 8 * size);
  return bits;
}

bool has_nan(const Array& array) {
  for (i64 n = 0; n < array.count(); ++n) {
    if (std::isnan(array.at(n))) return true;
  }
  return false;
}

// The formats that .npy lacks are stored as the unsigned integers that their bits are.
Array as_stored(Array array) {
  if (array.dtype == Dtype::BF16) array.dtype = Dtype::U16;
  if (array.dtype == Dtype::F8E4M3 || array.dtype == Dtype::F8E5M2) array.dtype = Dtype::U8;
  return array;
}

class Writer {
 public:
  Writer(const Launch& launch, const std::string& stem) : launch_(launch), stem_(stem) {}

  WrittenLaunch write() {
    result_.files.emplace_back(stem_ + ".ptx", ptx::write(*launch_.module));
    Json root;
    root["schema"] = launch_schema;
    root["ptx"] = stem_ + ".ptx";
    root["entry"] = launch_.entry;
    root["grid"] = {launch_.grid.x, launch_.grid.y, launch_.grid.z};
    root["block"] = {launch_.block.x, launch_.block.y, launch_.block.z};
    if (launch_.dynamic_shared_bytes) root["dynamic_shared_bytes"] = launch_.dynamic_shared_bytes;
    if (!launch_.is_cooperative) root["cooperative"] = false;
    if (!launch_.target.empty()) root["target"] = launch_.target;
    root["tensors"] = Json::object();
    for (const LaunchTensor& tensor : launch_.tensors) root["tensors"][tensor.name] = written(tensor);
    for (const LaunchVariable& variable : launch_.variables) root["variables"][variable.name] = written(variable);
    root["args"] = Json::array();
    for (const Argument& argument : launch_.arguments) root["args"].push_back(written(argument));
    for (const Expectation& expectation : launch_.expectations) {
      root["expect"][launch_.tensors[expectation.tensor].name] = written(expectation);
    }
    if (launch_.blocks.count) root["blocks"] = {{"sample", launch_.blocks.count}, {"seed", launch_.blocks.seed}};
    put_location(root);
    result_.text = root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    return std::move(result_);
  }

 private:
  void put_location(Json& root) const {
    const LaunchLocation& location = launch_.location;
    if (location.device) root["device"] = *location.device;
    if (location.current_device) root["current_device"] = *location.current_device;
    if (location.stream != LaunchLocation::Stream::Own) root["stream"] = name_of(location.stream);
    if (location.stream_device) root["stream"] = {{"device", *location.stream_device}};
  }

  // The name of a new file that holds the array.
  std::string file(const Array& array, const char* what) {
    const std::string name = stem_ + "." + std::to_string(result_.files.size()) + "." + what + ".npy";
    result_.files.emplace_back(name, write_npy(as_stored(array)));
    return name;
  }

  // Puts the values into `object` as "values" or "file".
  void put(Json& object, const Array& array, const char* what) {
    if (array.count() > most_inline || array.dtype == Dtype::C64 || has_nan(array)) {
      object["file"] = file(array, what);
      return;
    }
    object["values"] = Json::array();
    for (i64 n = 0; n < array.count(); ++n) {
      object["values"].push_back(element(array.bytes.data() + n * size_of(array.dtype), array.dtype));
    }
  }

  Json written(const Init& init, const LaunchTensor& tensor) {
    const auto given = [&](const Given&) -> Json {
      Array array = Array::zeros(tensor.dtype, tensor.shape);
      write_values(init, 0, array.count(), tensor.dtype, array.bytes.data());
      Json object;
      put(object, array, "init");
      return object;
    };
    return std::visit(Overloaded{[](const Uninitialized&) -> Json { return "uninitialized"; },
                                 [](const Fill& fill) -> Json {
                                   return {{"fill", number(fill.value)}};
                                 },
                                 [](const Normal& n) -> Json {
                                   return {{"normal", {{"seed", n.seed}, {"mean", n.mean}, {"std", n.std}}}};
                                 },
                                 [](const Uniform& u) -> Json {
                                   return {{"uniform", {{"seed", u.seed}, {"low", u.low}, {"high", u.high}}}};
                                 },
                                 [](const Arange& a) -> Json {
                                   return {{"arange", {{"start", a.start}, {"step", a.step}}}};
                                 },
                                 given},
                      init);
  }

  Json written(const LaunchTensor& tensor) {
    Json object;
    object["dtype"] = name_of(tensor.dtype);
    object["shape"] = tensor.shape;
    if (tensor.strides != contiguous_strides(tensor.shape)) object["strides"] = tensor.strides;
    object["init"] = written(tensor.init, tensor);
    if (tensor.output) object["output"] = true;
    if (tensor.finite) object["finite"] = true;
    if (tensor.freed) object["freed"] = true;
    if (tensor.alignment != LaunchTensor{}.alignment) object["alignment"] = tensor.alignment;
    for (const Region& region : tensor.regions) {
      object["fields"].push_back({{"name", region.name},
                                  {"rows", {region.first_row, region.last_row}},
                                  {"columns", {region.first_column, region.last_column}}});
    }
    if (!tensor.unwritten.empty()) object["unwritten"] = tensor.unwritten;
    put_pointers(object, tensor.pointers);
    return object;
  }

  Json written(const LaunchVariable& variable) {
    Array bytes = Array::zeros(Dtype::U8, {i64(variable.bytes.size())});
    std::ranges::copy(variable.bytes, bytes.bytes.begin());
    Json object{{"bytes", variable.bytes.size()}};
    put(object["init"], bytes, "variable");
    put_pointers(object, variable.pointers);
    return object;
  }

  void put_pointers(Json& object, const std::vector<LaunchPointer>& pointers) const {
    for (const LaunchPointer& pointer : pointers) {
      Json& json = object["pointers"].emplace_back(Json{{"at", pointer.at}});
      if (pointer.tensor >= 0)
        json["tensor"] = launch_.tensors[u32(pointer.tensor)].name;
      else
        json["variable"] = pointer.variable;
      if (pointer.offset) json["offset"] = pointer.offset;
    }
  }

  Json written(const TensorArgument& argument) const {
    const LaunchTensor& tensor = launch_.tensors[argument.tensor];
    Json object{{"tensor", tensor.name}};
    if (argument.region >= 0) object["field"] = tensor.regions[size_t(argument.region)].name;
    if (argument.offset_elements) object["offset_elements"] = argument.offset_elements;
    return object;
  }
  Json written(const ScalarArgument& argument) const {
    return {{std::string(name_of(argument.dtype)), element(&argument.bits, argument.dtype)}};
  }
  Json written(const NullArgument&) const { return {{"null", "ptr"}}; }
  Json written(const StructArgument& argument) const {
    Json parts = Json::array();
    for (const StructArgument::Part& part : argument.parts) {
      Json object{{"at", part.at}};
      object.update(std::visit([&](const auto& value) { return written(value); }, part.value));
      parts.push_back(object);
    }
    return {{"struct", {{"bytes", argument.bytes}, {"fields", parts}}}};
  }
  Json written(const Argument& argument) const {
    return std::visit([&](const auto& value) { return written(value); }, argument);
  }

  Json written(const Expectation& expectation) {
    Json object;
    if (expectation.same_as) object["same_as"] = launch_.tensors[*expectation.same_as].name;
    if (expectation.values) put(object, *expectation.values, "expect");
    if (expectation.bound) {
      object["bound"] = file(*expectation.bound, "bound");
    } else {
      object["atol"] = expectation.atol;
      object["rtol"] = expectation.rtol;
    }
    return object;
  }

  const Launch& launch_;
  const std::string& stem_;
  WrittenLaunch result_;
};

}  // namespace

WrittenLaunch write_launch(const Launch& launch, const std::string& stem) { return Writer(launch, stem).write(); }

void write_launch_file(const Launch& launch, const std::string& path) {
  const std::filesystem::path file(path);
  const WrittenLaunch written = write_launch(launch, file.stem().string());
  for (const auto& [name, contents] : written.files) write_file((file.parent_path() / name).string(), contents);
  write_file(path, written.text);
}

}  // namespace ropewalk
