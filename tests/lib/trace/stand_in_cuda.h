// What the stand-in for CUPTI asks of the stand-in driver.
#pragma once
#include "lib/gpu/cupti_api.h"

extern "C" {
// Tells the callback of every enabled call from now on.
void stand_in_cupti_listens(ropewalk::gpu::cupti::Callback callback, void* user);
void stand_in_cupti_enables(ropewalk::u32 id);
}
