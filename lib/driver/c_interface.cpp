#include <cstdlib>
#include <cstring>
#include <memory>

#include "lib/base/json.h"
#include "lib/driver/launch.h"
#include "lib/driver/module.h"
#include "lib/driver/note_written.h"
#include "lib/driver/ropewalk.h"
#include "lib/driver/session.h"
#include "reports/json_finding.h"

namespace driver = ropewalk::driver;

struct ropewalk_session {
  driver::Session session;
};

struct ropewalk_module {
  driver::Session& session;
  driver::Module module;
};

namespace {

using ropewalk::u32;
using ropewalk::u64;

char* copy_of(const std::string& text) { return strdup(text.c_str()); }

driver::Session& session_of(ropewalk_session* session) {
  return session ? session->session : driver::Session::of_process();
}

// What was thrown on the way, as a text; NULL: nothing was.
template <class Do>
char* catching(const Do& action) {
  try {
    action();
    return nullptr;
  } catch (const std::exception& error) {
    return copy_of(error.what());
  }
}

void expect(driver::Result result, const char* call) {
  if (result != driver::Result::Success) {
    throw ropewalk::InputError(fmt::format("{}: the memory is not one that was lent ({})", call, int(result)));
  }
}

driver::Kernel& kernel_of(driver::Module& module, const std::string& entry) {
  driver::Kernel* kernel = module.kernel(entry);
  if (!kernel) throw ropewalk::InputError(module.image().name + ": there is no entry " + entry);
  return *kernel;
}

ropewalk::Dim3 dimensions(const ropewalk::JsonCursor& node) {
  const auto sizes = node.elements(3, "[x, y, z]");
  u32 out[3];
  for (int n = 0; n < 3; ++n) out[n] = u32(sizes[u64(n)].natural(1, 0x7fffffff));
  return {out[0], out[1], out[2]};
}

// The parameter block, names and views.
void read_arguments(const ropewalk::JsonCursor& node, driver::LaunchRequest& request) {
  const driver::Kernel& kernel = *request.kernel;
  request.parameters.resize(kernel.parameter_bytes);
  if (node.size() > kernel.parameters.size()) {
    node.fail(fmt::format("{} arguments, but {} has {} parameters", node.size(), kernel.entry.name,
                          kernel.parameters.size()));
  }
  for (u32 n = 0; n < node.size(); ++n) {
    const ropewalk::JsonCursor argument = node.element(n);
    u64 bits = 0;
    argument.read("bits", bits);
    const auto& [offset, bytes] = kernel.parameters[n];
    std::memcpy(request.parameters.data() + offset, &bits, std::min<u64>(bytes, sizeof bits));
    argument.read_if("name", request.names.emplace_back());
    if (!argument.has_value("dtype")) continue;
    driver::TensorView view{n, bits, {}, {}, {}, request.device};
    const std::string dtype = argument.at("dtype").text();
    const std::optional<ropewalk::Dtype> known = ropewalk::dtype_named(dtype);
    if (!known) argument.at("dtype").fail("is no type of elements");
    view.dtype = *known;
    argument.read("shape", view.shape);
    argument.read("strides", view.strides);
    argument.read_if("device", view.device, 0, 0xffff);
    request.views.push_back(std::move(view));
  }
}

driver::LaunchRequest read_launch(driver::Module& module, const char* text) {
  const ropewalk::JsonCursor root(ropewalk::parse_json(text, "launch"), "launch");
  root.expect_keys({"entry", "grid", "block", "shared", "cooperative", "arguments", "stack"});
  driver::LaunchRequest request;
  request.kernel = &kernel_of(module, root.at("entry").text());
  request.grid = dimensions(root.at("grid"));
  request.block = dimensions(root.at("block"));
  request.device = module.device();
  request.is_cooperative = true;  // where it does not say, the grid may have a barrier
  if (root.has("cooperative")) request.must_be_resident = request.is_cooperative = root.at("cooperative").boolean();
  root.read_if("shared", request.shared_bytes);
  read_arguments(root.at("arguments"), request);
  root.read_if("stack", request.stack);
  return request;
}

}  // namespace

extern "C" {

int ropewalk_interface(void) { return ROPEWALK_INTERFACE; }

void ropewalk_free(char* text) { std::free(text); }

char* ropewalk_open(const char* options, const char* folder, ropewalk_session** session) {
  return catching([&] {
    driver::Options wanted = driver::parse_options(options, "options");
    wanted.folder = folder;
    *session = new ropewalk_session{driver::Session(std::move(wanted))};
  });
}

void ropewalk_close(ropewalk_session* session) {
  if (!session) return;
  driver::Held(session->session)->end();
  delete session;
}

char* ropewalk_options(ropewalk_session* session, char** options) {
  return catching([&] {
    const driver::Held held(session_of(session));
    if (!session) held->look_for_devices();  // PyTorch chooses when it uses one first, whoever counted them before
    *options = copy_of(driver::text_of(held->options()));
  });
}

char* ropewalk_lend(ropewalk_session* session, void* data, uint64_t bytes, uint64_t* written) {
  return catching([&] {
    const driver::Held held(session_of(session));
    if (!held->memory().lend(data, bytes, "of the program", written)) {
      throw ropewalk::InputError("ropewalk_lend: the memory overlaps with other memory that was lent");
    }
  });
}

char* ropewalk_take_back(ropewalk_session* session, const void* data) {
  return catching([&] {
    const driver::Held held(session_of(session));
    expect(held->memory().take_back(data, "ropewalk_take_back"), "ropewalk_take_back");
  });
}

char* ropewalk_note_freed(ropewalk_session* session, void* data, uint64_t bytes) {
  return catching([&] {
    const driver::Held held(session_of(session));
    held->memory().note_freed(data, bytes, "of the program");
  });
}

char* ropewalk_forget_freed(ropewalk_session* session, const void* data) {
  return catching([&] {
    const driver::Held held(session_of(session));
    held->memory().forget_freed(data);
  });
}

char* ropewalk_bytes_at(ropewalk_session* session, uint64_t address, uint64_t bytes, void** data) {
  return catching([&] {
    const driver::Held held(session_of(session));
    const auto [at, offset] = held->memory().find(address);
    if (!at || at->freed || !at->data || offset + bytes > at->bytes) {
      throw ropewalk::InputError(fmt::format("no memory of a device has {} bytes at {:#x}", bytes, address));
    }
    at->initialized = nullptr;
    *data = at->data + offset;
  });
}

int ropewalk_note_written(const void* data, uint64_t bytes, uint64_t* written) {
  return driver::note_written(static_cast<const std::byte*>(data), bytes, written);
}

char* ropewalk_load(ropewalk_session* session, uint32_t device, const char* ptx, const char* name,
                    ropewalk_module** module) {
  return catching([&] {
    driver::Session& at = session_of(session);
    const driver::Held held(at);
    std::unique_ptr<ropewalk_module> made(new ropewalk_module{at, {at, device, {ptx, name}}});
    made->module.ptx();
    *module = made.release();
  });
}

void ropewalk_unload(ropewalk_module* module) {
  if (!module) return;
  const driver::Held held(module->session);
  delete module;
}

char* ropewalk_kernel(ropewalk_module* module, const char* entry, char** about) {
  return catching([&] {
    const driver::Held held(module->session);
    const driver::Kernel& kernel = kernel_of(module->module, entry);
    ropewalk::Json out = {{"parameters", ropewalk::Json::array()}, {"follows_pointers", kernel.follows_pointers}};
    for (const auto& parameter : kernel.parameters) out["parameters"].push_back(parameter.bytes);
    *about = copy_of(out.dump());
  });
}

char* ropewalk_launch(ropewalk_module* module, const char* text, char** answer) {
  *answer = nullptr;
  return catching([&] {
    const driver::Held held(module->session);
    const driver::LaunchRequest request = read_launch(module->module, text);
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    std::string not_run;
    held->on_finding = [&](const ropewalk::Finding& finding) {
      findings.push_back(ropewalk::reports::finding_json(finding));
    };
    held->on_not_run = [&](const std::string& reason) { not_run = reason; };
    const driver::Result result = driver::launch(*held, request);
    held->on_finding = nullptr;
    held->on_not_run = nullptr;
    if (result == driver::Result::Success && findings.empty() && not_run.empty()) return;
    *answer =
        copy_of(nlohmann::ordered_json{{"result", int(result)}, {"findings", findings}, {"not_run", not_run}}.dump(
            -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  });
}

void ropewalk_frames_from(const char* (*source)(void)) { driver::take_frames_from(source); }

void ropewalk_synchronize(ropewalk_session* session) { driver::Held(session_of(session))->synchronize(); }

void ropewalk_note(ropewalk_session* session, const char* text, const char* key) {
  driver::Held(session_of(session))->record().note(text, key);
}

}  // extern "C"
