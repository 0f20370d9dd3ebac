// Causes of failed initialisations in words.
#pragma once
#include <string>
#include <string_view>

#include "lib/init/state.h"

namespace ropewalk::init {

// What happened, with the names of this plan.
std::string cause_text(const Failure& failure, const Plan& plan);
// What to do about it; empty for a cause that is not known.
std::string_view advice_for(std::string_view cause);

}  // namespace ropewalk::init
