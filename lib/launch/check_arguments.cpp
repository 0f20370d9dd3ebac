#include "lib/launch/check_arguments.h"

#include "lib/base/error.h"

namespace ropewalk {
namespace {

bool is_integer(ptx::Type type) { return type >= ptx::Type::U8 && type <= ptx::Type::S64; }

// 8 bytes that are no float: a scalar, or the array that nvcc makes of a struct with one pointer.
bool takes_pointer(const ptx::Variable& parameter) { return parameter.bytes() == 8 && !is_float(parameter.type); }

// ".param .align 8 .b8 request[32]"
std::string described(const ptx::Variable& parameter) {
  std::string text = "." + std::string(ptx::name_of(parameter.type)) + " " + parameter.name;
  for (const u64 extent : parameter.extents) text += "[" + std::to_string(extent) + "]";
  return text;
}

// Why the argument does not fit; empty where it does.
std::string misfit(const TensorArgument& argument, const ptx::Variable& parameter, const Launch& launch) {
  if (takes_pointer(parameter)) return "";
  return "the tensor \"" + launch.tensors[argument.tensor].name + "\" is a pointer of 8 bytes";
}

std::string misfit(const NullArgument&, const ptx::Variable& parameter, const Launch&) {
  return takes_pointer(parameter) ? "" : "a null pointer has 8 bytes";
}

std::string misfit(const ScalarArgument& argument, const ptx::Variable& parameter, const Launch&) {
  const bool scalar = parameter.extents.empty();
  const bool crossed = scalar && (is_floating(argument.dtype) ? is_integer(parameter.type) : is_float(parameter.type));
  if (size_of(argument.dtype) == parameter.bytes() && !crossed) return "";
  return "the value is " + std::string(name_of(argument.dtype)) + " of " + std::to_string(size_of(argument.dtype)) +
         " bytes";
}

std::string misfit(const StructArgument& argument, const ptx::Variable& parameter, const Launch&) {
  return argument.bytes == parameter.bytes() ? "" : "the struct has " + std::to_string(argument.bytes) + " bytes";
}

}  // namespace

void check_arguments(const Launch& launch) {
  const ptx::Function* entry = launch.module ? launch.module->entry(launch.entry) : nullptr;
  if (!entry)
    throw InputError(InputLocation{launch.source_path, 0, 0, "entry"}, "the PTX has no entry \"" + launch.entry + "\"");
  const size_t given = launch.arguments.size(), wanted = entry->parameter_count;
  if (given > wanted) {
    throw InputError(InputLocation{launch.source_path, 0, 0, "args"},
                     "has " + std::to_string(given) + " arguments, the entry " + entry->name + " has " +
                         std::to_string(wanted) + " parameters");
  }
  for (size_t n = 0; n < wanted; ++n) {
    const ptx::Variable& parameter = entry->parameter(u32(n));
    const std::string field = "args[" + std::to_string(n) + "]";
    if (n >= given) {
      if (takes_pointer(parameter)) continue;
      throw InputError(InputLocation{launch.source_path, 0, 0, field}, "is missing: parameter " + std::to_string(n) +
                                                                           " (" + described(parameter) +
                                                                           ") is no pointer that could be null");
    }
    const std::string why =
        std::visit([&](const auto& argument) { return misfit(argument, parameter, launch); }, launch.arguments[n]);
    if (why.empty()) continue;
    throw InputError(InputLocation{launch.source_path, 0, 0, field},
                     "does not fit parameter " + std::to_string(n) + " (" + described(parameter) + ", " +
                         std::to_string(parameter.bytes()) + " bytes): " + why);
  }
}

}  // namespace ropewalk
