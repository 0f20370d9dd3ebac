#include "lib/machine/known_findings.h"

#include <algorithm>

#include "lib/machine/describe.h"

namespace ropewalk::machine {

namespace {

std::string name_of(const Window& window, const Launch& launch) {
  if (window.region < 0) return window.name;
  return window.name + "\n" + launch.tensors[u64(window.tensor)].regions[u64(window.region)].name;
}

// Whether a launch that makes it again needs no closer look: what is undefined, or raced, is so whatever the values
// are.
bool is_remembered(const Occurrence& found, const Code& code) {
  if (found.severity != Severity::Error || found.step >= code.steps.size()) return false;
  // What lanes exchange decides of each race between them.
  const bool is_of_lanes = found.rule == Rule::SharedRace && code.exchanges;
  return found.rule == Rule::UninitializedRead || (is_race(found) && !is_of_lanes);
}

}  // namespace

void KnownFindings::add(const Collector& found, const Launch& launch, const Code& code,
                        const std::vector<Window>& windows) {
  for (const auto& [key, collected] : found.found()) {
    const Occurrence& example = collected.example;
    if (!is_remembered(example, code) || known(example, launch, windows)) continue;
    u8 met = 0;
    known_.push_back({.example = example,
                      .memory = name_of(windows[example.window], launch),
                      .id = describe(collected, launch, code, windows).id,
                      .may_pass = example.rule != Rule::GlobalRace && Settled().take_one(example, code, &met)});
  }
}

bool KnownFindings::may_pass(const Ids& reported) const {
  return !is_useless_ &&
         std::ranges::any_of(known_, [&](const Known& it) { return it.may_pass && reported.contains(it.id); });
}

Settled KnownFindings::settled(const Ids& reported, const Launch& launch, const Code& code,
                               const std::vector<Window>& windows) {
  Settled out;
  met_.assign(known_.size(), 0);
  for (std::size_t n = 0; n < known_.size(); ++n) {
    if (!known_[n].may_pass || !reported.contains(known_[n].id)) continue;
    Occurrence here = known_[n].example;
    const auto has_name = [&](const Window& it) { return name_of(it, launch) == known_[n].memory; };
    const auto window = std::ranges::find_if(windows, has_name);
    if (window == windows.end()) continue;
    here.window = u32(window - windows.begin());
    out.take_one(here, code, &met_[n]);
  }
  return out;
}

KnownFindings::Ids KnownFindings::met() const {
  Ids out;
  for (std::size_t n = 0; n < met_.size(); ++n) {
    if (met_[n]) out.insert(known_[n].id);
  }
  return out;
}

const KnownFindings::Known* KnownFindings::known(const Occurrence& found, const Launch& launch,
                                                 const std::vector<Window>& windows) const {
  const auto is_same = [&](const Known& it) {
    return it.example.rule == found.rule && it.example.step == found.step && it.example.severity == found.severity &&
           it.memory == name_of(windows[found.window], launch);
  };
  const auto at = std::ranges::find_if(known_, is_same);
  return at == known_.end() ? nullptr : &*at;
}

bool KnownFindings::has(const Occurrence& found, const Ids& reported, const Launch& launch,
                        const std::vector<Window>& windows) const {
  const Known* const it = known(found, launch, windows);
  return it && reported.contains(it->id);
}

}  // namespace ropewalk::machine
