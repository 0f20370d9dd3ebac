#include "lib/driver/calls.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/driver/call_stack.h"
#include "lib/driver/public_call.h"
#include "lib/ptx/grammar.h"
#include "lib/ptx/header.h"
#include "lib/ptx/read.h"

namespace ropewalk::driver {

namespace {

std::string& image_error() {
  static std::string text;
  return text;
}

// Calls body() and answers its result, or what an unreadable image is answered with.
template <class Body>
Result catching(Session& session, const std::string& name, const Body& body,
                Result where_it_is_not = Result::InvalidPtx) {
  try {
    return body();
  } catch (const InputError& error) {
    image_error() = error.what();
    session.record().not_run(name, error.what());
    return where_it_is_not;
  }
}

}  // namespace

const std::string& last_image_error() { return image_error(); }

namespace {

Result refused(Session& session, Result result, const std::string& why) {
  const char* const name = result == Result::InvalidImage ? "CUDA_ERROR_INVALID_IMAGE"
                           : result == Result::InvalidPtx ? "CUDA_ERROR_INVALID_PTX"
                           : result == Result::Unknown    ? "CUDA_ERROR_UNKNOWN"
                                                          : "CUDA_ERROR_NO_BINARY_FOR_GPU";
  image_error() = why;
  const std::vector<std::string> lines = CallStack::here().lines();
  session.record().failed(PublicCall::name_or("cuModuleLoadData"), fmt::format("{} ({})", name, why),
                          lines.empty() ? "" : lines[0]);
  return result;
}

// The first function that the module uses, and neither it nor the driver defines; "": there is none.
std::string undefined_function(const ptx::Module& module) {
  const auto is_missing = [&](u32 id) {
    const ptx::Function& function = module.functions[id];
    constexpr std::string_view of_driver[] = {"vprintf", "malloc", "free", "__assertfail"};
    return !function.has_body && function.alias.empty() && !std::ranges::count(of_driver, function.name) &&
           !function.name.starts_with("cuda") && !function.name.starts_with("__cuda");
  };
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Operand& operand : function.operands) {
      if (operand.kind == ptx::Operand::Kind::Function && is_missing(operand.id))
        return module.functions[operand.id].name;
    }
  }
  return "";
}
std::string undefined_in(const std::string& text) {
  try {
    return undefined_function(ptx::read(text, "linked PTX"));
  } catch (const InputError&) {
    return "";  // whoever loads it tells
  }
}

}  // namespace

Result check_text(Session& session, const PtxImage& image, Module* module) {
  if (!image.is_text) return Result::Success;
  if (image.text.find(".version") == std::string::npos) {
    return refused(session, Result::InvalidImage, image.name + " is neither PTX, a fat binary nor a cubin");
  }
  // The reader does not have textures that a module names.
  for (const char* word : {".texref", ".surfref", ".samplerref"}) {
    if (image.text.find(word) != std::string::npos) return Result::Success;
  }
  try {
    const auto text = module ? module->ptx() : std::make_shared<const ptx::Module>(ptx::read(image.text, image.name));
    const ptx::Module& ptx = *text;
    const std::string& target = session.options().target;
    if (ptx::capability_of(ptx.target) > ptx::capability_of(target)) {
      return refused(session, Result::InvalidPtx,
                     fmt::format("{} is for {}, the device is {}", image.name, ptx.target, target));
    }
    for (const ptx::Function& function : ptx.functions) {
      if (function.has_body) ptx::check_instructions(ptx, function);
    }
    const std::string missing = module ? undefined_function(ptx) : "";  // what is linked may come with another image
    if (!missing.empty()) return refused(session, Result::InvalidPtx, "nobody defines the function " + missing);
  } catch (const InputError& error) {
    return refused(session, Result::InvalidPtx, error.what());
  }
  return Result::Success;
}

Result load_module(Session& session, Context& context, const void* image, Module** module, const std::string& name) {
  if (!image || !module) return Result::InvalidValue;
  return catching(
      session, "a module",
      [&] {
        auto made =
            std::make_unique<Module>(session, context.device, read_image(image, session.options().target, name));
        const Result result = check_text(session, made->image(), made.get());
        if (result == Result::Success) *module = context.modules.add(std::move(made));
        return result;
      },
      Result::NoBinaryForGpu);
}

Result add_image(Session& session, const void* data, Result unreadable, std::vector<PtxImage>& images) {
  return catching(
      session, "cuLinkAddData",
      [&] {
        PtxImage image = read_image(data, session.options().target);
        const Result result = check_text(session, image);
        if (result == Result::Success) images.push_back(std::move(image));
        return result;
      },
      unreadable);
}

Result link_images(Session& session, const std::vector<PtxImage>& images, std::string* text) {
  if (images.empty()) return Result::InvalidImage;
  try {
    *text = linked(images).text;
    const std::string missing = undefined_in(*text);
    if (!missing.empty()) return refused(session, Result::Unknown, "nobody defines the function " + missing);
    return Result::Success;
  } catch (const InputError& error) {
    return refused(session, Result::InvalidImage, error.what());
  }
}

Result load_module_file(Session& session, Context& context, const std::string& path, Module** module) {
  try {
    // Text ends with a zero there, as a program would hand it over.
    std::string bytes(MappedFile(path).text()), name = path;
    std::filesystem::path beside(path);
    std::error_code error;
    if (bytes.starts_with(ELFMAG) && std::filesystem::exists(beside.replace_extension(".ptx"), error)) {
      name = beside.string();  // of a cubin, as nvcc --keep leaves both
      bytes = MappedFile(name).text();
    }
    const auto load = [&] {
      expect_whole_image(bytes, name);
      return load_module(session, context, bytes.c_str(), module, name);
    };
    return catching(session, "a module", load, Result::NoBinaryForGpu);
  } catch (const InputError&) {
    return Result::FileNotFound;
  }
}

Result find_kernel(Session& session, Module& module, const std::string& name, Kernel** kernel) {
  return catching(session, "kernel " + name, [&] {
    *kernel = module.kernel(name);
    return *kernel ? Result::Success : Result::NotFound;
  });
}

Result find_variable(Session& session, Module& module, const std::string& name, Allocation** variable) {
  return catching(session, "variable " + name, [&] {
    *variable = module.variable(name);
    return *variable ? Result::Success : Result::NotFound;
  });
}

Result list_kernels(Session& session, Module& module, std::vector<Kernel*>& kernels) {
  return catching(session, "a module", [&] {
    kernels = module.kernels();
    return Result::Success;
  });
}

Result launch_in(Session& session, Context& context, const LaunchRequest& request) {
  if (context.error != Result::Success) return Result::Success;  // of a graph, or given before: nothing runs any more
  Result fault = Result::Success;
  Result result = launch(session, request, &fault);
  if (result == Result::Assert || result == Result::LaunchFailed) {
    fault = result;
    result = Result::Success;  // the launch itself was taken, as on a GPU
  }
  if (fault != Result::Success) {
    context.error = fault;
    session.synchronize();
  }
  return result;
}

}  // namespace ropewalk::driver
