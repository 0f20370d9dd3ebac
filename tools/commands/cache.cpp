#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/base/stopwatch.h"
#include "lib/rope/check_caches.h"
#include "tools/commands/examine.h"
#include "tools/parse/parse.h"
#include "tools/parse/values.h"
#include "tools/run/run.h"

namespace ropewalk::tools {
namespace {

// A field's text as JSON has it: a number, a list of numbers, true or false, or a text.
Json value_of(const RopeField& field) {
  if (field.value == "true" || field.value == "false") return field.value == "true";
  Json numbers = Json::array();
  for (size_t begin = 0; begin <= field.value.size();) {
    const size_t comma = std::min(field.value.find(',', begin), field.value.size());
    double number = 0;
    const char* const last = field.value.data() + comma;
    const auto [end, error] = std::from_chars(field.value.data() + begin, last, number);
    if (error != std::errc() || end != last) return field.value;
    numbers.push_back(number);
    begin = comma + 1;
  }
  const bool list = field.key.ends_with("short_factor") || field.key.ends_with("long_factor");
  return list ? numbers : numbers.size() == 1 ? numbers[0] : Json(field.value);
}

// The fields as the configuration that would say the same.
rope::RopeConfig config_of(const std::vector<RopeField>& fields) {
  Json root = Json::object(), parameters = Json::object();
  for (const RopeField& field : fields) {
    const bool outer = field.key == "head_dim" || field.key == "max_position_embeddings";
    (outer ? root : parameters)[field.key] = value_of(field);
  }
  if (!root.contains("head_dim")) {
    if (!parameters.contains("rotary_dim"))
      throw InputError("cache: --head-dim is missing; it goes with " + fields[0].flag);
    root["head_dim"] = parameters["rotary_dim"];
  }
  // What the options say where they are not given.
  if (!parameters.contains("rotary_dim")) parameters["rotary_dim"] = root["head_dim"];
  if (!parameters.contains("rope_theta")) parameters["rope_theta"] = 10000;
  root["rope_parameters"] = parameters;
  return rope::read_rope_config(JsonCursor(root, "options"));
}

rope::RawForm raw_form_of(const CacheOptions& options) {
  rope::RawForm form;
  if (!options.shape.empty()) {
    form.shape = read_integers("--shape", options.shape);
    for (const i64 extent : *form.shape) {
      if (extent < 1) throw InputError("--shape: expected extents of at least 1, found \"" + options.shape + "\"");
    }
  }
  if (!options.dtype.empty()) {
    const std::vector<std::string> names = {"f32", "f16", "bf16", "f64", "c64"};
    form.dtype = dtype_named(names[read_word("--dtype", options.dtype, names)]);
  }
  return form;
}

}  // namespace

reports::Report examine(const CacheOptions& options, const Request& request) {
  const Stopwatch watch;
  rope::CacheRequest wanted;
  wanted.files = options.files;
  wanted.raw = raw_form_of(options);
  wanted.threads = threads_for(request.shared.jobs);
  if (!options.config.empty()) {
    wanted.config = rope::read_rope_config_file(options.config);
    wanted.config->asked_rows = options.max_length;
  }
  if (!options.fields.empty()) wanted.config = config_of(options.fields);
  rope::CacheAnswer answer = rope::check_caches(wanted);
  if (answer.largest_part > 0) {
    answer.notes.push_back(fmt::format(
        "right values are at most {:.2g} of their bound away from the formula, in the rows that were sampled",
        answer.largest_part));
  }
  std::vector<std::string> checks = {"formula"};
  if (options.files.size() > 1) checks.push_back("ranks");
  return report_of(std::move(answer), "none", std::move(checks), request, watch);
}

}  // namespace ropewalk::tools
