#include "lib/driver/calls.h"

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::driver {

namespace {

std::string& image_error() {
  static std::string text;
  return text;
}

// Calls body() and answers its result, or what an unreadable image is answered with.
template <class Body>
Result guarded(Session& session, const std::string& name, const Body& body,
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

Result load_module(Session& session, Context& context, const void* image, Module** module, const std::string& name) {
  if (!image || !module) return Result::InvalidValue;
  return guarded(
      session, "a module",
      [&] {
        *module = context.modules.add(
            std::make_unique<Module>(session, context.device, read_image(image, session.options().target, name)));
        return Result::Success;
      },
      Result::NoBinaryForGpu);
}

Result load_module_file(Session& session, Context& context, const std::string& path, Module** module) {
  try {
    const MappedFile file(path);
    // Text ends with a zero there, as a program would hand it over.
    std::string bytes(file.text());
    return load_module(session, context, bytes.c_str(), module, path);
  } catch (const InputError&) {
    return Result::FileNotFound;
  }
}

Result find_kernel(Session& session, Module& module, const std::string& name, Kernel** kernel) {
  return guarded(session, "kernel " + name, [&] {
    *kernel = module.kernel(name);
    return *kernel ? Result::Success : Result::NotFound;
  });
}

Result find_variable(Session& session, Module& module, const std::string& name, Allocation** variable) {
  return guarded(session, "variable " + name, [&] {
    *variable = module.variable(name);
    return *variable ? Result::Success : Result::NotFound;
  });
}

Result list_kernels(Session& session, Module& module, std::vector<Kernel*>& kernels) {
  return guarded(session, "a module", [&] {
    kernels = module.kernels();
    return Result::Success;
  });
}

Result launch_in(Session& session, Context& context, const LaunchRequest& request) {
  const Result result = launch(session, request);
  if (result == Result::Assert || result == Result::LaunchFailed) {
    context.error = result;
    session.synchronize();
    return Result::Success;  // the launch itself was taken, as on a GPU
  }
  return result;
}

}  // namespace ropewalk::driver
