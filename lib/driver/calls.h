// What the driver API and the runtime API both do, with errors as values: nothing is thrown out of these. The session's
// mutex is held.
#pragma once
#include <string>

#include "lib/driver/context.h"
#include "lib/driver/launch.h"

namespace ropewalk::driver {

// What was wrong with the last image that could not be used, for people.
const std::string& last_image_error();

// What the driver answers to the text, if it is one: InvalidImage where it is no PTX, InvalidPtx where ptxas would not
// take it for the device. What nobody can execute here, but a GPU can, is no error. The reason goes into the report.
// module: of the image, which reads it; null: there is none.
Result check_text(Session& session, const PtxImage& image, Module* module = nullptr);

// The module of an image as a program hands it over (see read_image). Where it cannot be used the reason goes into the
// report. PTX text is read at once, as the driver does; fat binaries when something of them is asked for.
Result load_module(Session& session, Context& context, const void* image, Module** module,
                   const std::string& name = "PTX of the program");
// The same of a file: PTX, a .fatbin or a .cubin.
Result load_module_file(Session& session, Context& context, const std::string& path, Module** module);
// Adds an image to those that are to be linked, and makes one text of all.
Result add_image(Session& session, const void* image, Result unreadable, std::vector<PtxImage>& images);
Result link_images(Session& session, const std::vector<PtxImage>& images, std::string* text);
// NotFound where there is no such kernel or variable.
Result find_kernel(Session& session, Module& module, const std::string& name, Kernel** kernel);
Result find_variable(Session& session, Module& module, const std::string& name, Allocation** variable);

Result list_kernels(Session& session, Module& module, std::vector<Kernel*>& kernels);

// Launches in a context, whose error it becomes where the kernel breaks it.
Result launch_in(Session& session, Context& context, const LaunchRequest& request);

}  // namespace ropewalk::driver
